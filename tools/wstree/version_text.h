// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace wstree::cli {

/// Returns the text of `wstree --version`: the version in the first line, then the facts that a problem
/// report has to name.
std::string version_text();

} // namespace wstree::cli
