// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source_text.h"

#include <cstring>

namespace wstree::observe {
namespace {

constexpr std::size_t k_longest_source = 8192;

std::string_view next_field(std::string_view& text) noexcept {
  const std::size_t size = text.find(';') < text.size() ? text.find(';') : text.size();
  const std::string_view field(text.data(), size);
  text.remove_prefix(size < text.size() ? size + 1 : size);
  return field;
}

/// 0 if the text is no line number.
std::uint64_t line_number(std::string_view text) noexcept {
  if (text.empty() || text.size() > 10 || text.front() == '0') return 0;
  std::uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return 0;
    number = 10 * number + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}

} // namespace

SourceText read_source_text(const char* psource) noexcept {
  if (psource == nullptr || *psource != ';') return {};
  std::string_view rest(psource + 1, strnlen(psource + 1, k_longest_source));
  SourceText text;
  text.file = next_field(rest);
  text.function = next_field(rest);
  text.line = line_number(next_field(rest));
  // Compilers write "unknown" for parts that they do not know.
  if (text.file.empty() || text.file == "unknown" || text.line == 0) return {};
  if (text.function == "unknown") text.function = {};
  return text;
}

} // namespace wstree::observe
