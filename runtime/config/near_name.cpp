// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "near_name.h"

#include <algorithm>
#include <array>

#include "options.h"
#include "tokens.h"
#include "words.h"

namespace wstree::config {
namespace {

constexpr std::size_t k_max_word = 64;
constexpr std::string_view k_prefix = "WSTREE_";

/// Picks the candidate nearest to a word, the first of those that are equally near.
class Nearest {
public:
  explicit Nearest(std::string_view word) noexcept
      : word_(word), best_(std::max<std::size_t>(word.size() / 2, 1) + 1) {}

  void offer(std::string_view candidate, std::string_view name) noexcept {
    const std::size_t distance = edit_distance(word_, candidate);
    if (distance >= best_) return;
    best_ = distance;
    found_ = name;
  }
  std::string_view found() const noexcept { return found_; }

private:
  std::string_view word_;
  std::size_t best_; // more than half of the letters wrong is no misspelling but another word
  std::string_view found_;
};

} // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) noexcept {
  a = a.substr(0, k_max_word);
  b = b.substr(0, k_max_word);
  // Three rows of the usual table: row[j] is the distance between the first i letters of a and the first j
  // of b.
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

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates) noexcept {
  Nearest nearest(word.substr(0, k_max_word));
  for (const std::string_view candidate : candidates) nearest.offer(candidate, candidate);
  return nearest.found();
}

std::string_view nearest_option(std::string_view name) noexcept {
  if (!name.starts_with(k_prefix)) return {};
  Nearest nearest(without_first(name, k_prefix.size()).substr(0, k_max_word));
  for (const OptionText& option : k_options) {
    if (!option.name.starts_with(k_prefix)) continue;
    nearest.offer(without_first(option.name, k_prefix.size()), option.name);
  }
  return nearest.found();
}

std::string_view nearest_schedule(std::string_view value) noexcept {
  const auto [before_colon, after_colon] = split(value, ':');
  const bool modified =
      after_colon && (same_word(before_colon, "monotonic") || same_word(before_colon, "nonmonotonic"));
  return nearest_word(split(modified ? *after_colon : value, ',').head, k_schedule_words);
}

} // namespace wstree::config
