// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wstree::cli {

/// Returns a place that rules can name: a line, or two in a window of `width` columns that is narrower; 0:
/// any width.
std::string place_text(std::string_view indentation, const std::string& name, const std::string& code,
                       std::size_t width);

} // namespace wstree::cli
