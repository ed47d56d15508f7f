// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "marked_schedule.h"

#include "tokens.h"

#include <algorithm>
#include <limits>

namespace wstree::config {
namespace {

constexpr std::string_view k_modifier = "monotonic";
constexpr std::string_view k_marked_kind = ":dynamiC";
static_assert(k_schedule_kinds >> k_modifier.size() == 0); // a letter for each binary digit

constexpr char capital(char letter) noexcept { return static_cast<char>(letter - 'a' + 'A'); }

} // namespace

ValueText to_marked(const ScheduleRequest& request) noexcept {
  ValueText text;
  auto digits = static_cast<std::size_t>(request.kind) + 1;
  for (const char letter : k_modifier) {
    text.append((digits & 1) != 0 ? capital(letter) : letter);
    digits >>= 1;
  }
  text.append(k_marked_kind);
  if (request.chunk_given) text.append(',').append_number(request.chunk);
  return text;
}

std::optional<ScheduleRequest> parse_marked(std::string_view value) noexcept {
  std::size_t number = 0;
  for (std::size_t i = 0; i < k_modifier.size() && i < value.size(); ++i)
    if (value[i] == capital(k_modifier[i])) number |= std::size_t{1} << i;
  if (number == 0 || number > k_schedule_kinds) return std::nullopt;
  ScheduleRequest request;
  request.kind = static_cast<ScheduleKind>(number - 1);
  const ValueText text = to_marked(request);
  if (!value.starts_with(text.view())) return std::nullopt;
  const std::string_view rest = without_first(value, text.view().size());
  if (rest.empty()) return request;
  const auto chunk = parse_number(without_first(rest, 1), 1, k_max_chunk);
  if (rest.front() != ',' || !chunk) return std::nullopt;
  request.chunk = *chunk;
  request.chunk_given = true;
  return request;
}

std::optional<int> parse_monotonic_dynamic(std::string_view value) noexcept {
  const auto [modifier, rest] = split(value, ':');
  if (!rest || !same_word(modifier, k_modifier) || parse_marked(value)) return std::nullopt;
  const auto [kind, chunk] = split(*rest, ',');
  if (!same_word(kind, "dynamic")) return std::nullopt;
  constexpr std::uint64_t k_most = std::numeric_limits<int>::max();
  return chunk ? static_cast<int>(parse_number(*chunk, 1, k_most).value_or(1)) : 1;
}

// [K1] relaxed everywhere: an entry is one word and nothing is read through it. A thread that asks for the
//      meaning of a chunk has got it from the runtime, which has it from a task that was set after the entry
//      was made.

bool MarkTable::is_free(int mark, std::size_t entries) const noexcept {
  return std::none_of(
      entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(entries),
      [mark](const auto& entry) { return mark_of(entry.load(std::memory_order_relaxed)) == mark; });
}

int MarkTable::mark(OwnSchedule schedule) noexcept {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry seen = entries_[i].load(std::memory_order_relaxed);
    if (seen == 0) {
      auto mark = static_cast<int>(std::max<std::uint64_t>(schedule.chunk, 1));
      while (!is_free(mark, i)) ++mark;
      if (entries_[i].compare_exchange_strong(seen, static_cast<Entry>(mark) << k_mark_shift | pack(schedule),
                                              std::memory_order_relaxed))
        return mark;
    }
    if (!is_programs(seen) && unpack(seen) == schedule) return mark_of(seen);
  }
  return k_huge | static_cast<int>(pack(schedule));
}

bool MarkTable::leave_to_program(int chunk) noexcept {
  chunk = std::max(chunk, 1); // as the runtimes understand it
  const Entry wanted = static_cast<Entry>(chunk) << k_mark_shift | k_programs << k_kind_shift;
  for (auto& entry : entries_) {
    Entry seen = entry.load(std::memory_order_relaxed);
    if (seen == 0 && entry.compare_exchange_strong(seen, wanted, std::memory_order_relaxed)) return true;
    if (mark_of(seen) == chunk) return is_programs(seen);
  }
  return false;
}

std::optional<OwnSchedule> MarkTable::meaning(int chunk) const noexcept {
  for (const auto& entry : entries_) {
    const Entry seen = entry.load(std::memory_order_relaxed);
    if (seen == 0) return std::nullopt; // nor is there a huge one
    if (mark_of(seen) != chunk) continue;
    return is_programs(seen) ? std::nullopt : std::optional(unpack(seen));
  }
  if (chunk < k_huge ||
      static_cast<std::size_t>(unpack(static_cast<Entry>(chunk) - k_huge).kind) >= k_schedule_kinds)
    return std::nullopt;
  return unpack(static_cast<Entry>(chunk) - k_huge);
}

} // namespace wstree::config
