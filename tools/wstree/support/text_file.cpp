// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text_file.h"

#include <fstream>
#include <iterator>

namespace wstree::cli {

std::optional<std::string> read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) return std::nullopt;
  return text;
}

} // namespace wstree::cli
