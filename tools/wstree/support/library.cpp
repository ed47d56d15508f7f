// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace wstree::cli {

namespace {

namespace fs = std::filesystem;

/// Folders in which the library may be, relative to the folder of the executable: trees can be moved as
/// a whole.
std::vector<fs::path> folders(const fs::path& bin) {
  std::vector<fs::path> result{WSTREE_LIBRARY_FROM_BIN, "../lib"};
  // From an installed executable the path of the build tree leads somewhere else.
  const bool is_build_tree = bin.string().ends_with("/" WSTREE_BUILD_FOLDER);
  const fs::path from_build = WSTREE_LIBRARY_FROM_BUILD;
  if (is_build_tree && !from_build.empty()) result.push_back(from_build);
  return result;
}

bool usable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), R_OK) == 0;
}

LibrarySearch failed(std::string problem) { return {{}, std::move(problem)}; }

LibrarySearch named_library(const char* name) {
  std::error_code error;
  const auto path = fs::absolute(name, error);
  if (!error && usable(path)) return {path.lexically_normal(), {}};
  constexpr auto k_text =
      "WSTREE_LIBRARY='{}' is not a file that can be read; set it to the path of libwstree.so or "
      "unset it";
  return failed(fmt::format(k_text, name));
}

} // namespace

LibrarySearch find_library() {
  const char* name = std::getenv("WSTREE_LIBRARY");
  if (name != nullptr && *name != '\0') return named_library(name);

  std::error_code error;
  const auto executable = fs::read_symlink("/proc/self/exe", error);
  if (error) return failed("/proc/self/exe cannot be read; set WSTREE_LIBRARY to the path of libwstree.so");
  std::vector<std::string> tried;
  const auto bin = executable.parent_path();
  for (const auto& folder : folders(bin)) {
    const auto path = (bin / folder / "libwstree.so").lexically_normal();
    if (std::find(tried.begin(), tried.end(), path) != tried.end()) continue;
    if (usable(path)) return {path, {}};
    // Packages have the name without a number only among the files for linking programs.
    const auto numbered = fs::path(path.string() + "." WSTREE_SOVERSION);
    if (usable(numbered)) return {numbered, {}};
    tried.push_back(path.string());
  }
  constexpr auto k_text =
      "libwstree.so was not found (looked for {}); install it there or set WSTREE_LIBRARY to its path";
  return failed(fmt::format(k_text, fmt::join(tried, ", ")));
}

} // namespace wstree::cli
