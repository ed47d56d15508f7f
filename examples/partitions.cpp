// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the steps of the Collatz sequences from 1 to N, on threads of the program's own: std::thread, and no
// OpenMP. Each thread consumes a partition of the numbers, which steals from the others when it is through.
// The last thread never comes, and the first one stops after a thousand numbers: the others take what is
// theirs. Then the range below it: one owner, and thieves that the program writes itself.
//
//   g++ -std=c++20 -O2 -pthread partitions.cpp -o partitions
//   ./partitions 1000000 4
#include <wstree/types/partitioner.h>
#include <wstree/types/work_stealing_range.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

static long steps_from(std::uint64_t number) {
  long steps = 0;
  for (; number != 1; ++steps) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
  return steps;
}

struct Result {
  long numbers = 0;
  long steps = 0;
  void add(long number) {
    ++numbers;
    steps += steps_from(static_cast<std::uint64_t>(number));
  }
  void add(const Result& other) {
    numbers += other.numbers;
    steps += other.steps;
  }
};

static Result by_partitions(long n, unsigned threads) {
  wstree::partitioner parts(1L, n + 1, threads);
  std::vector<Result> results(threads);
  std::vector<std::thread> crew;
  for (unsigned t = 0; t + 1 < threads || t == 0; ++t)
    crew.emplace_back([&results, t, threads, mine = parts[t]] {
      Result result;
      for (const long number : mine) {
        result.add(number);
        if (t == 0 && threads > 1 && result.numbers == 1000) break;
      }
      results[t] = result;
    });
  for (std::thread& thread : crew) thread.join();
  Result all;
  for (const Result& result : results) all.add(result);
  // What no thread was handed: all of the others may have been through before the first thread stopped.
  for (const auto& [first, last] : parts.left_over())
    for (long number = first; number < last; ++number) all.add(number);
  return all;
}

static Result by_range(long n) {
  wstree::work_stealing_range range(1, n + 1);
  Result mine, stolen;
  std::thread thief([&] {
    while (!range.empty())
      if (const auto part = range.steal())
        for (long number = part->first; number != part->last; ++number) stolen.add(number);
  });
  while (const auto number = range.take()) mine.add(*number);
  thief.join();
  mine.add(stolen);
  return mine;
}

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::atol(argv[1]) : 1000000;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 4;
  if (argc > 3 || n < 1 || n > 100000000 || threads < 1 || threads > 1000) {
    std::fputs("usage: partitions [N [THREADS]]\n", stderr);
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const Result found = by_partitions(n, static_cast<unsigned>(threads));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("partitions %ld: %ld steps; %d threads, %.6f s\n", n, found.steps, threads, seconds.count());

  Result expected;
  for (long number = 1; number <= n; ++number) expected.add(number);
  const Result other = by_range(n);
  if (found.numbers != n || found.steps != expected.steps || other.numbers != n ||
      other.steps != expected.steps) {
    std::fputs("partitions: numbers were lost or counted twice\n", stderr);
    return 1;
  }
  return 0;
}
