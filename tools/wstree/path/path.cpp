// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.h"
#include "support/exit_status.h"
#include "support/library.h"
#include "support/message.h"

namespace wstree::cli {

int path_command() {
  const auto library = find_library();
  if (library.path.empty()) {
    say("{}", library.problem);
    return k_no_library;
  }
  fmt::print("{}\n", library.path.string());
  return k_ok;
}

} // namespace wstree::cli
