// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rank_texts.h"

#include <atomic>

namespace wstree::observe {
namespace {

constinit std::atomic<RankText*> g_rank_texts{nullptr}; // the latest text

/// Calls `function(text)` for each text of that kind, the latest first.
template <class Function> void for_each_text(const char* RankText::*kind, Function&& function) noexcept {
  // [O20] acquire: the fields of what was added before are complete; pairs with [O21]. Guard: none, as MPI
  //       has ordered the threads of a process when its report is written.
  for (const auto* one = g_rank_texts.load(std::memory_order_acquire); one != nullptr; one = one->next)
    if (one->*kind != nullptr) function(one->*kind);
}

} // namespace

void add_rank_text(RankText& text) noexcept {
  text.next = g_rank_texts.load(std::memory_order_relaxed);
  // [O21] release: a thread that finds the text finds its fields. Guard: as O20.
  while (!g_rank_texts.compare_exchange_weak(text.next, &text, std::memory_order_release,
                                             std::memory_order_relaxed)) {
  }
}

// relaxed: there is one thread.
void forget_rank_texts() noexcept { g_rank_texts.store(nullptr, std::memory_order_relaxed); }

void write_rank_lines(ReportWriter& out) noexcept {
  for_each_text(&RankText::lines, [&](const char* text) { out.text(text); });
}

void write_rank_statistics(ReportWriter& out) noexcept {
  bool first = true;
  for_each_text(&RankText::statistics, [&](const char* text) {
    out.text(first ? ", \"rank_loops\": [\n  " : ",\n  ").text(text);
    first = false;
  });
  if (!first) out.text("\n]");
}

void write_rank_events(ReportWriter& out) noexcept {
  for_each_text(&RankText::events, [&](const char* text) { out.text(text); });
}

} // namespace wstree::observe
