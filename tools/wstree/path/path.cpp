// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.h"
#include "support/exit_status.h"
#include "support/library.h"
#include "support/message.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace wstree::cli {
namespace {

namespace fs = std::filesystem;

/// Returns the plugin of the newest gcc beside the library, where each stands in a folder of its gcc.
fs::path find_plugin(const fs::path& library) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(library.parent_path() / "wstree", error)) {
    const auto plugin = entry.path() / "wstree_gcc.so";
    if (entry.path().filename().string().starts_with("gcc-") && fs::is_regular_file(plugin, error))
      found.push_back(plugin);
  }
  const auto newest = std::max_element(found.begin(), found.end());
  return newest != found.end() ? *newest : fs::path();
}

} // namespace

int path_command(bool gcc_plugin) {
  const auto library = find_library();
  if (library.path.empty()) {
    say("{}", library.problem);
    return k_no_library;
  }
  if (!gcc_plugin) {
    fmt::print("{}\n", library.path.string());
    return k_ok;
  }
  const auto plugin = find_plugin(library.path);
  if (plugin.empty()) {
    say("there is no plugin of gcc beside {}: it is built where gcc's plugin headers are (gcc-12-plugin-dev)",
        library.path.string());
    return k_no_library;
  }
  fmt::print("{}\n", plugin.string());
  return k_ok;
}

} // namespace wstree::cli
