// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// One loop, written three times as a user would write it. The copies differ in the schedule clause alone.
#pragma once
#include <cstdint>

namespace bench {

enum class Form { runtime, steal_1, steal_64 };

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

template <class Body> std::uint64_t loop(Form form, int n, int threads, const Body& body) {
  switch (form) {
  case Form::steal_1:
    return loop_steal_1(n, threads, body);
  case Form::steal_64:
    return loop_steal_64(n, threads, body);
  case Form::runtime:
    break;
  }
  return loop_runtime(n, threads, body);
}

/// The same sum without OpenMP: what every pass is checked against.
template <class Body> [[gnu::noinline]] std::uint64_t loop_plain(int n, const Body& body) {
  std::uint64_t sum = 0;
  for (int i = 0; i < n; ++i) sum += body(i);
  return sum;
}

/// What iterations cost, piece by piece.
template <class Body> [[gnu::noinline]] std::uint64_t loop_part(int begin, int end, const Body& body) {
  std::uint64_t sum = 0;
  for (int i = begin; i < end; ++i) sum += body(i);
  return sum;
}

} // namespace bench
