// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// One loop in all the ways in which a user would write it. The copies of a runtime differ in the schedule
/// clause, or in the partitioner, alone.
#pragma once
#include "form.h"
#include <cstdint>

#ifdef WSTREE_BENCH_TBB
#include <functional>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#else
#include "omp_calls.h"
#endif

namespace bench {

/// Returns the sum without a runtime: every pass is checked against it.
template <class Body> [[gnu::noinline]] std::uint64_t loop_plain(int n, const Body& body) {
  std::uint64_t sum = 0;
  for (int i = 0; i < n; ++i) sum += body(i);
  return sum;
}

/// Executes a part of the loop, to find the costs of iterations piece by piece.
template <class Body> [[gnu::noinline]] std::uint64_t loop_part(int begin, int end, const Body& body) {
  std::uint64_t sum = 0;
  for (int i = begin; i < end; ++i) sum += body(i);
  return sum;
}

#ifdef WSTREE_BENCH_TBB

/// The memory of a place in a program from one run of its loop to the next.
struct Site {
  tbb::affinity_partitioner affinity;
};

template <class Body> struct SumOfRange {
  const Body& body;
  [[gnu::noinline]] std::uint64_t operator()(const tbb::blocked_range<int>& range, std::uint64_t sum) const {
    for (int i = range.begin(); i < range.end(); ++i) sum += body(i);
    return sum;
  }
};

/// Returns the sum of body(i) over 0..n-1 in the arena that the caller is in. With one thread the range is a
/// single piece: that is the sequential pass of the very same machine code.
template <class Body> std::uint64_t loop(Form form, int n, int threads, const Body& body, Site& site) {
  const tbb::blocked_range<int> all(0, n);
  const SumOfRange<Body> sum_of{body};
  if (threads == 1) return sum_of(all, 0);
  const auto reduce = [&](auto&& partitioner) {
    return tbb::parallel_reduce(all, std::uint64_t{0}, sum_of, std::plus<std::uint64_t>(), partitioner);
  };
  switch (form) {
  case Form::tbb_affinity:
    return reduce(site.affinity);
  case Form::tbb_static:
    return reduce(tbb::static_partitioner());
  case Form::tbb_simple:
    return reduce(tbb::simple_partitioner());
  default:
    return reduce(tbb::auto_partitioner());
  }
}

/// Returns the index of the calling thread, from within a loop; 0 outside of all arenas.
inline int worker_index() {
  const int index = tbb::this_task_arena::current_thread_index();
  return index < 0 ? 0 : index;
}

#else

/// The memory of a place in a program from one run of its loop to the next: OpenMP has none.
struct Site {};

/// Sum of body(i) over 0..n-1 on `threads` threads; the sum modulo 2^64 does not depend on the order. With
/// one thread the runtime hands out the whole range at once: that is the sequential pass of the very same
/// machine code.
template <class Body> [[gnu::noinline]] std::uint64_t loop_runtime(int n, int threads, const Body& body) {
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(runtime) num_threads(threads) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += body(i);
  return sum;
}

// A literal nonmonotonic:dynamic is libomp's static_steal. There is no other way to it from within a process:
// omp_set_schedule accepts libomp's number for it, 102, and the next omp_get_schedule aborts.
template <class Body> [[gnu::noinline]] std::uint64_t loop_steal_1(int n, int threads, const Body& body) {
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(nonmonotonic : dynamic, 1) num_threads(threads) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += body(i);
  return sum;
}

template <class Body> [[gnu::noinline]] std::uint64_t loop_steal_64(int n, int threads, const Body& body) {
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(nonmonotonic : dynamic, 64) num_threads(threads) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += body(i);
  return sum;
}

template <class Body> std::uint64_t loop(Form form, int n, int threads, const Body& body, Site&) {
  switch (form) {
  case Form::steal_1:
    return loop_steal_1(n, threads, body);
  case Form::steal_64:
    return loop_steal_64(n, threads, body);
  default:
    return loop_runtime(n, threads, body);
  }
}

/// Returns the number of the calling thread, from within a loop.
inline int worker_index() { return omp_get_thread_num(); }

#endif

} // namespace bench
