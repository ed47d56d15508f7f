// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule_names.h"

#include "near_name.h"
#include "options.h"
#include "words.h"

#include <algorithm>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

/// LLVM's own kind, which is no fallback because the library has no use for it.
constexpr std::string_view k_steal = "static_steal";

struct Parts {
  std::string_view modifier; ///< empty if there is none
  std::string_view rest;
};

Parts split_modifier(std::string_view value) {
  const auto colon = value.find(':');
  if (colon == std::string_view::npos) return {{}, value};
  return {value.substr(0, colon), value.substr(colon + 1)};
}

template <class Words> void append(std::string& list, const Words& words) {
  for (const std::string_view word : words) list.append(list.empty() ? "" : ", ").append(word);
}

} // namespace

std::string own_schedules() {
  std::string list;
  append(list, config::k_schedule_words);
  return list;
}

std::string all_schedules() {
  std::string list = own_schedules();
  append(list, config::k_fallback_words);
  return list.append(", ").append(k_steal);
}

bool is_runtime_schedule(std::string_view value) {
  const auto [modifier, rest] = split_modifier(value);
  if (value != rest && modifier != "monotonic" && modifier != "nonmonotonic") return false;
  if (rest.starts_with(k_steal))
    return config::parse_fallback(fmt::format("static{}", rest.substr(k_steal.size()))).has_value();
  return config::parse_fallback(rest).has_value();
}

std::string_view nearest_schedule(std::string_view value) {
  const auto rest = split_modifier(value).rest;
  const auto kind = rest.substr(0, rest.find(','));
  std::string_view nearest;
  // More than half of the letters wrong is no misspelling but another word.
  auto best = std::max<std::size_t>(kind.size() / 2, 1) + 1;
  const auto offer = [&](std::string_view word) {
    const auto distance = config::edit_distance(kind, word);
    if (distance >= best) return;
    best = distance;
    nearest = word;
  };
  for (const auto word : config::k_fallback_words) offer(word);
  offer(k_steal);
  for (const auto word : config::k_schedule_words) offer(word);
  return best == 0 ? std::string_view() : nearest;
}

} // namespace wstree::cli
