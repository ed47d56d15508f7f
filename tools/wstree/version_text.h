// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace wstree::cli {

/// What `wstree --version` prints: the version in the first line, then what a report of a problem has to
/// name.
std::string version_text();

} // namespace wstree::cli
