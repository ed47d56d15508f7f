// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "terminal.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <sstream>
#include <sys/ioctl.h>
#include <unistd.h>

namespace wstree::cli {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_unicode() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto value = variable(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

/// Returns the position of the first byte of character `index`.
std::size_t byte_of(std::string_view text, std::size_t index) {
  std::size_t byte = 0;
  for (; byte < text.size(); ++byte)
    if (!is_continuation(text[byte]) && index-- == 0) break;
  return byte;
}

} // namespace

Terminal terminal_of(std::FILE* stream) {
  Terminal terminal;
  const int descriptor = ::fileno(stream);
  terminal.is_one = ::isatty(descriptor) != 0;
  const auto force = variable("CLICOLOR_FORCE");
  const bool forced = !force.empty() && force != "0";
  const bool forbidden =
      !variable("NO_COLOR").empty() || variable("CLICOLOR") == "0" || variable("TERM") == "dumb";
  terminal.colours = forced || (terminal.is_one && !forbidden);
  if (!terminal.is_one) return terminal;
  terminal.unicode = is_unicode();
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0) terminal.width = size.ws_col;
  return terminal;
}

std::string inked(const Terminal& terminal, Ink ink, std::string_view text) {
  if (!terminal.colours) return std::string(text);
  const char* const code = ink == Ink::bold ? "1" : ink == Ink::dim ? "2" : ink == Ink::good ? "32" : "31";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string fitted(std::string_view text, std::size_t width) {
  const auto columns = columns_of(text);
  if (columns <= width) return std::string(text);
  constexpr std::string_view k_gap = "...";
  if (width <= k_gap.size()) return std::string(text.substr(0, byte_of(text, width)));
  const auto end = (width - k_gap.size()) / 2;
  const auto begin = width - k_gap.size() - end;
  return std::string(text.substr(0, byte_of(text, begin)))
      .append(k_gap)
      .append(text.substr(byte_of(text, columns - end)));
}

std::string left(std::string_view text, std::size_t width) {
  const auto columns = columns_of(text);
  return std::string(text).append(width > columns ? width - columns : 0, ' ');
}

std::string right(std::string_view text, std::size_t width) {
  const auto columns = columns_of(text);
  return std::string(width > columns ? width - columns : 0, ' ').append(text);
}

std::string wrapped(std::string_view text, std::size_t width) {
  std::istringstream words{std::string(text)};
  std::string result, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > width) {
      result += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return result + line + "\n";
}

std::string duration_text(double seconds) {
  const double amount = std::abs(seconds);
  if (amount >= 1) return fmt::format("{:.2f} s", seconds);
  if (amount >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} us", seconds * 1e6);
}

} // namespace wstree::cli
