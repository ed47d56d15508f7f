// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "user_text.h"

#include <charconv>
#include <fmt/format.h>

namespace wstree::cli {

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const auto end = text.find(separator);
    auto part = text.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.emplace_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> thousandths(std::string_view text) {
  const auto point = text.find('.');
  const auto whole = whole_number(text.substr(0, point));
  if (!whole || *whole > UINT64_MAX / 10'000) return std::nullopt;
  if (point == std::string_view::npos) return *whole * 1'000;
  const auto places = text.substr(point + 1);
  const auto part = whole_number(places);
  if (!part || places.size() > 3) return std::nullopt;
  return *whole * 1'000 + *part * (places.size() == 1 ? 100 : places.size() == 2 ? 10 : 1);
}

std::string with_commas(std::uint64_t value) {
  const auto digits = std::to_string(value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string decimal(std::uint64_t value) {
  auto text = std::to_string(value / 1'000);
  if (value % 1'000 != 0) text += fmt::format(".{:03}", value % 1'000);
  while (value % 1'000 != 0 && text.ends_with('0')) text.pop_back();
  return text;
}

} // namespace wstree::cli
