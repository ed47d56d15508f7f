// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "version_text.h"

#include "commit.h"

namespace wstree::cli {

std::string version_text() {
  return "wstree " WSTREE_VERSION "\ncommit     " WSTREE_COMMIT "\nbuild      " WSTREE_BUILD
         "\ncompilers  C++: " WSTREE_CXX "; C: " WSTREE_C;
}

} // namespace wstree::cli
