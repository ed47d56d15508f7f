// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>

namespace wstree::cli {

struct LibrarySearch {
  std::filesystem::path path; ///< absolute; empty if there is no library
  std::string problem;        ///< one line for the user, then
};

/// Returns the libwstree.so that belongs to this command: the file that WSTREE_LIBRARY names, else the
/// installed library beside the folder of the executable, else the library of the same build tree. A wrong
/// WSTREE_LIBRARY is an error and not skipped: a user who sets it wants that file.
LibrarySearch find_library();

} // namespace wstree::cli
