// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wstree::cli {

/// Breaks the lines of a table or a command that are longer than `width` at blanks. The second column of a
/// table goes on below where it began, a command ends with a backslash. Lines that do not begin with a blank
/// stay as they are.
std::string folded(std::string_view text, std::size_t width);

/// Folds the lines likewise, and wraps lines of prose too. Width 0, which is that of no terminal: as it is.
std::string laid_out(std::string_view text, std::size_t width);

} // namespace wstree::cli
