// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parts.h"

#include "support/user_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wstree::cli::bench {

bool Selection::has(std::string_view part) const { return std::ranges::find(parts, part) != parts.end(); }

unsigned Selection::seconds() const {
  unsigned sum = 0;
  for (const auto& part : k_parts) {
    if (!has(part.name)) continue;
    const unsigned usual = size == Size::full ? part.seconds : part.quick_seconds;
    const bool has_rounds = part.name == "loops" || part.name == "models" || part.name == "validation";
    sum += has_rounds             ? usual * rounds / usual_rounds(size)
           : part.name == "short" ? usual * short_rounds / usual_short_rounds(size)
                                  : usual;
  }
  return sum;
}

unsigned usual_rounds(Size size) { return size == Size::full ? 3 : size == Size::quick ? 2 : 1; }

unsigned usual_short_rounds(Size size) { return size == Size::full ? 15 : size == Size::quick ? 5 : 1; }

unsigned usual_seconds(Size size) {
  Selection usual{{}, size, usual_rounds(size), usual_short_rounds(size)};
  for (const auto& part : k_parts)
    if (part.usual) usual.parts.emplace_back(part.name);
  return usual.seconds();
}

std::optional<std::string> choose(std::string_view option, const std::string& list,
                                  const std::vector<std::string>& known, std::vector<std::string>& chosen) {
  const auto words = parts_of(list, ',');
  for (const auto& word : words)
    if (std::ranges::find(known, word) == known.end())
      return fmt::format("{}: there is no '{}' (accepted: a list of {})", option, word,
                         fmt::join(known, ", "));
  for (const auto& name : known)
    if (std::ranges::find(words, name) != words.end()) chosen.push_back(name);
  return std::nullopt;
}

std::optional<std::string> choose_parts(const std::optional<std::string>& list, Size size,
                                        std::vector<std::string>& chosen) {
  std::vector<std::string> all;
  for (const auto& part : k_parts) all.emplace_back(part.name);
  if (list) return choose("--parts", *list, all, chosen);
  for (const auto& part : k_parts)
    // A test has to see everything, except parts that take long for loops of any size.
    if (part.usual || (size == Size::smoke && part.name != "validation")) chosen.emplace_back(part.name);
  return std::nullopt;
}

} // namespace wstree::cli::bench
