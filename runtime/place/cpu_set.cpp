// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_set.h"

#include <charconv>

namespace wstree::place {
namespace {

constexpr std::string_view k_cut = ",...";

/// Takes the number that `text` starts with off it.
std::optional<std::uint32_t> take_cpu(std::string_view& text) noexcept {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number >= CpuSet::k_cpus) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, char c) noexcept {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n'; }

} // namespace

CpuListText to_list(const CpuSet& set) noexcept {
  CpuListText list;
  for (std::uint32_t first = set.next(0); first < CpuSet::k_cpus;) {
    std::uint32_t last = first;
    while (set.has(last + 1)) ++last;
    const std::uint32_t following = set.next(last + 1);

    config::FixedText<16> item;
    if (!list.empty()) item.append(',');
    item.append_number(first);
    if (last != first) item.append('-').append_number(last);
    const std::size_t reserve = following < CpuSet::k_cpus ? k_cut.size() : 0;
    if (list.size() + item.size() + reserve > CpuListText::capacity()) {
      list.append(k_cut);
      break;
    }
    list.append(item.view());
    first = following;
  }
  return list;
}

std::optional<CpuSet> parse_cpu_list(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);

  CpuSet set;
  if (text.empty()) return set; // as in the kernel's files
  do {
    const auto first = take_cpu(text);
    if (!first) return std::nullopt;
    auto last = first;
    if (take(text, '-')) last = take_cpu(text);
    if (!last || *last < *first) return std::nullopt;
    for (std::uint32_t cpu = *first; cpu <= *last; ++cpu) set.add(cpu);
  } while (take(text, ','));
  return text.empty() ? std::optional(set) : std::nullopt;
}

} // namespace wstree::place
