// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A known number of regions, loops and chunks, phase by phase, for a tool that counts instructions from
// phase_begin() to phase_end(). Every phase runs once before,
// so that everything has been found and allocated.
#include "omp_decls.h"

#include <chrono>
#include <cstdint>

extern "C" {
[[gnu::noinline]] void phase_begin() { asm volatile("" ::: "memory"); }
[[gnu::noinline]] void phase_end() { asm volatile("" ::: "memory"); }
}

namespace {

/// Where instructions are counted it takes longer than any batch should, by far: a member with a processor
/// of its own is a third quicker, and a member that finds chunks short does not look at the clock after each.
constexpr int k_chunk = 8000;

template <class T> void nothing(T i) { asm volatile("" : : "r"(i) : "memory"); }

template <class Body> void phase(int count, Body body) {
  body(3);
  phase_begin();
  body(count);
  phase_end();
}

void regions(int count, int threads) {
  for (int k = 0; k < count; ++k) {
#pragma omp parallel num_threads(threads)
    nothing(k);
  }
}

/// One iteration, so that no member looks for work at the others'.
void loops(int count, int threads) {
#pragma omp parallel num_threads(threads)
  for (int k = 0; k < count; ++k) {
#pragma omp for schedule(runtime)
    for (int i = 0; i < 1; ++i) nothing(i);
  }
}

void region_loops(int count, int threads) {
  for (int k = 0; k < count; ++k) {
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (int i = 0; i < 1; ++i) nothing(i);
  }
}

template <class T> void chunks(int count) {
  omp_set_schedule(k_sched_wstree, k_chunk);
  const T n = static_cast<T>(count) * k_chunk;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(runtime)
    for (T i = 0; i < n; ++i) nothing(i);
  }
  omp_set_schedule(k_sched_wstree, 1);
}

/// Where the threads are is decided in the first region that begins a fifth of a second behind the end of the
/// first one. Where other work holds members up a region may take more than that, so another one follows.
void settle() {
  region_loops(1, 2);
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(500)) region_loops(100, 2);
  region_loops(1, 2);
}

} // namespace

int main() {
  settle();
  constexpr int k_count = 1000;
  for (int threads = 1; threads <= 2; ++threads) {
    phase(k_count, [=](int count) { regions(count, threads); });
    phase(k_count, [=](int count) { loops(count, threads); });
    phase(k_count, [=](int count) { region_loops(count, threads); });
  }
  phase(k_count, chunks<std::int32_t>);
  phase(k_count, chunks<std::uint32_t>);
  phase(k_count, chunks<std::int64_t>);
  phase(k_count, chunks<std::uint64_t>);
}
