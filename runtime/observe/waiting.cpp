// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "waiting.h"

#include <atomic>
#include <time.h>

namespace wstree::observe {

namespace {

// relaxed: figures for the report.
constinit std::atomic<std::uint64_t> g_gaps{0}, g_gaps_cpu{0}, g_cpu{0}, g_wall{0};

void add(std::atomic<std::uint64_t>& sum, std::uint64_t more) noexcept {
  sum.store(sum.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

} // namespace

void note_gap(std::uint64_t ns, std::uint64_t cpu_ns) noexcept {
  add(g_gaps, ns);
  add(g_gaps_cpu, cpu_ns);
}

void note_cpu() noexcept {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  g_cpu.store(static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
                  static_cast<std::uint64_t>(used.tv_nsec),
              std::memory_order_relaxed);
}

void note_wall(std::uint64_t ns) noexcept { g_wall.store(ns, std::memory_order_relaxed); }

WaitFigures wait_figures() noexcept {
  return {g_gaps.load(std::memory_order_relaxed), g_gaps_cpu.load(std::memory_order_relaxed),
          g_cpu.load(std::memory_order_relaxed), g_wall.load(std::memory_order_relaxed)};
}

void forget_gaps() noexcept {
  g_gaps.store(0, std::memory_order_relaxed);
  g_gaps_cpu.store(0, std::memory_order_relaxed);
}

} // namespace wstree::observe
