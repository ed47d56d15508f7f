// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_counters.h"

#include <algorithm>
#include <sys/mman.h>
#include <utility>

#include "wstree/core/cost.h"

namespace wstree::observe {
namespace {

// [O22] relaxed: sums of which nothing else is concluded, as in loop_site.cpp [O1].
constexpr auto k_counter_order = std::memory_order_relaxed;

void json_values(ReportWriter& out, const CounterValues& sum) noexcept {
  out.text("\"parts\": ").number(sum.all_parts);
  for (std::size_t i = 0; i < k_counters; ++i)
    if (sum.has(static_cast<Counter>(i)))
      out.text(", ").json_string(k_counter_names[i]).text(": ").number(sum.values[i]);
}

} // namespace

CounterValues& CounterValues::operator+=(const CounterValues& other) noexcept {
  for (std::size_t i = 0; i < k_counters; ++i) {
    values[i] += other.values[i];
    parts[i] += other.parts[i];
  }
  all_parts += other.all_parts;
  return *this;
}

bool CounterValues::has(Counter counter) const noexcept {
  return all_parts != 0 && parts[static_cast<std::size_t>(counter)] == all_parts;
}

LoopCounters::Row* LoopCounters::rows() noexcept {
  // [O23] acquire: the page is there before its address; pairs with the release [O24]. Guard:
  //      observe_counters, LoseNothingFromManyThreads under the thread sanitizer.
  if (Row* known = rows_.load(std::memory_order_acquire)) return known;
  void* const memory = mmap(nullptr, k_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  Row* first = nullptr; // zeroed memory is a valid row
  // [O24] release: see [O23]; acquire on failure as there.
  if (rows_.compare_exchange_strong(first, static_cast<Row*>(memory), std::memory_order_release,
                                    std::memory_order_acquire))
    return static_cast<Row*>(memory);
  munmap(memory, k_bytes);
  return first;
}

void LoopCounters::add(std::uint32_t member, const CounterValues& part) noexcept {
  Row* const all = rows();
  if (all == nullptr) return;
  Row& row = all[std::min(member, k_members - 1)];
  for (std::size_t i = 0; i < k_counters; ++i) {
    if (part.parts[i] == 0) continue;
    row.values[i].fetch_add(part.values[i], k_counter_order);
    row.parts[i].fetch_add(part.parts[i], k_counter_order);
  }
  row.all_parts.fetch_add(part.all_parts, k_counter_order);
}

CounterValues LoopCounters::of(std::uint32_t member) const noexcept {
  CounterValues sum;
  const Row* const all = rows_.load(std::memory_order_acquire); // [O23]
  if (all == nullptr) return sum;
  const Row& row = all[member];
  for (std::size_t i = 0; i < k_counters; ++i) {
    sum.values[i] = row.values[i].load(k_counter_order);
    sum.parts[i] = row.parts[i].load(k_counter_order);
  }
  sum.all_parts = row.all_parts.load(k_counter_order);
  return sum;
}

CounterValues LoopCounters::total() const noexcept {
  CounterValues sum;
  for (std::uint32_t m = 0; m < k_members; ++m) sum += of(m);
  return sum;
}

void LoopCounters::clear() noexcept {
  // Given back, so that a child that counts nothing needs no memory. relaxed: one thread.
  if (Row* const all = rows_.exchange(nullptr, std::memory_order_relaxed)) munmap(all, k_bytes);
}

void json_counters(ReportWriter& out, const LoopCounters& counters) noexcept {
  const CounterValues total = counters.total();
  if (total.all_parts == 0) return;
  out.text(", \"counters\": {");
  json_values(out, total);
  out.text("}, \"member_counters\": [");
  bool first = true;
  for (std::uint32_t m = 0; m < LoopCounters::k_members; ++m) {
    const CounterValues sum = counters.of(m);
    if (sum.all_parts == 0) continue;
    out.text(first ? "{\"member\": " : ", {\"member\": ").number(m).text(", ");
    json_values(out, sum);
    out.text("}");
    first = false;
  }
  out.text("]");
}

void text_counters(ReportWriter& out, const LoopCounters& counters) noexcept {
  const CounterValues total = counters.total();
  std::string_view between = "    ";
  const auto next = [&]() -> ReportWriter& { return out.text(std::exchange(between, ", ")); };
  const bool has_instructions = total.has(Counter::instructions) && total[Counter::instructions] != 0;
  if (has_instructions && total.has(Counter::cycles) && total[Counter::cycles] != 0)
    next()
        .decimal(core::rounded_ratio(total[Counter::instructions], 100, total[Counter::cycles]), 2)
        .text(" instructions per cycle");
  if (has_instructions && total.has(Counter::cache_misses))
    next()
        .decimal(core::rounded_ratio(total[Counter::cache_misses], 100 * 1000, total[Counter::instructions]),
                 2)
        .text(" cache misses per 1,000 instructions");
  if (total.has(Counter::page_faults)) next().grouped(total[Counter::page_faults]).text(" page faults");
  if (total.has(Counter::context_switches))
    next().grouped(total[Counter::context_switches]).text(" context switches");
  if (between == ", ") out.text("\n");
}

} // namespace wstree::observe
