// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "near_name.h"

#include <algorithm>
#include <array>

#include "options.h"
#include "tokens.h"

namespace wstree::config {
namespace {

constexpr std::size_t k_max_word = 64;
constexpr std::string_view k_prefix = "WSTREE_";

} // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) noexcept {
  a = a.substr(0, k_max_word);
  b = b.substr(0, k_max_word);
  // Three rows of the usual table: row[j] is the distance between the first i letters of a and the first j of
  // b.
  using Row = std::array<std::size_t, k_max_word + 1>;
  Row two_above{}, above{}, row{};
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_above = above;
    above = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest_option(std::string_view name) noexcept {
  if (!name.starts_with(k_prefix)) return {};
  const std::string_view word = without_first(name, k_prefix.size()).substr(0, k_max_word);
  std::string_view nearest;
  // More than half of the letters wrong is no misspelling but another word.
  std::size_t best = std::max<std::size_t>(word.size() / 2, 1) + 1;
  for (const OptionText& option : k_options) {
    if (!option.name.starts_with(k_prefix)) continue;
    const std::size_t distance = edit_distance(word, without_first(option.name, k_prefix.size()));
    if (distance < best) {
      best = distance;
      nearest = option.name;
    }
  }
  return nearest;
}

} // namespace wstree::config
