// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace wstree::cli {

/// The abilities of a stream: plain ASCII without colours, as wide as it gets, unless it is a terminal.
struct Terminal {
  bool is_one = false;
  bool colours = false;  ///< NO_COLOR and CLICOLOR=0 forbid them, CLICOLOR_FORCE wants them everywhere
  bool unicode = false;  ///< by LC_ALL, LC_CTYPE and LANG
  std::size_t width = 0; ///< columns; 0: any
};
Terminal terminal_of(std::FILE* stream);

enum class Ink { bold, dim, good, bad };
/// Returns the text in a colour, if the terminal has colours.
std::string inked(const Terminal& terminal, Ink ink, std::string_view text);

/// Returns at most `width` characters of UTF-8, with "..." in the middle of a longer text.
std::string fitted(std::string_view text, std::size_t width);
/// Returns the number of characters, not of bytes.
std::size_t columns_of(std::string_view text);
std::string left(std::string_view text, std::size_t width);
std::string right(std::string_view text, std::size_t width);
/// Words in lines of at most `width` columns.
std::string wrapped(std::string_view text, std::size_t width);

/// Returns a text such as "12.41 s" or "20.00 us".
std::string duration_text(double seconds);

} // namespace wstree::cli
