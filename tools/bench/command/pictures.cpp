// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pictures.h"

namespace wstree::cli::bench {

std::vector<Picture> pictures_of(const Json& parts) {
  std::vector<Picture> pictures;
  add_ratio_pictures(parts, pictures);
  add_step_pictures(parts, pictures);
  add_strategy_pictures(parts, pictures);
  add_worker_pictures(parts, pictures);
  add_grid_pictures(parts, pictures);
  return pictures;
}

} // namespace wstree::cli::bench
