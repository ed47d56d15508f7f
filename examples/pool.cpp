// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program without OpenMP: a thread pool with futures, groups and loops, and a work-stealing queue whose
// owner and thieves are the program's own threads.
//
//   g++ -std=c++20 -O2 pool.cpp -pthread -o pool
#include <wstree/parallel/for_each.h>
#include <wstree/types/thread_pool.h>
#include <wstree/types/work_stealing_queue.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

/// A thread that waits for a group executes other tasks meanwhile, so tasks may make tasks and wait for them.
long fib(wstree::thread_pool& pool, int n) {
  if (n < 2) return n;
  long left = 0;
  wstree::task_group group(pool);
  group.run([&] { left = fib(pool, n - 1); });
  const long right = fib(pool, n - 2);
  group.wait();
  return left + right;
}

/// The owner takes the newest element, two thieves the oldest.
long sum_of_stolen(long elements) {
  wstree::work_stealing_queue<std::string> queue;
  std::atomic<long> sum{0}, left{elements};
  const auto consume = [&](auto take) {
    while (left.load() > 0)
      if (const auto text = take()) {
        sum += std::stol(*text);
        --left;
      }
  };
  std::jthread first(consume, [&] { return queue.steal(); }),
      second(consume, [&] { return queue.try_steal(); });
  for (long i = 0; i < elements; ++i) queue.push(std::to_string(i));
  consume([&] { return queue.pop(); });
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  wstree::thread_pool pool; // a thread for each processor

  auto answer = pool.submit([] { return 6 * 7; });
  std::atomic<int> notes{0};
  for (int i = 0; i < 10; ++i) pool.run([&] { ++notes; });
  const long number = fib(pool, 20);
  std::vector<double> roots(static_cast<std::size_t>(n));
  wstree::for_each(wstree::par("roots").on(pool), std::size_t{0}, roots.size(),
                   [&](std::size_t i) { roots[i] = std::sqrt(static_cast<double>(i)); });
  auto failing = pool.submit([]() -> int { throw std::string("of a task"); });
  std::string caught;
  try {
    failing.get();
  } catch (const std::string& what) {
    caught = what;
  }
  pool.wait(); // for all tasks that no thread has waited for
  const long stolen = sum_of_stolen(10'000);
  std::printf("pool: %u threads, answer %d, %d notes, fib %ld, exception %s, %ld from the queue\n",
              pool.size(), answer.get(), notes.load(), number, caught.c_str(), stolen);

  bool right = notes == 10 && number == 6765 && caught == "of a task" && stolen == 10'000L * 9'999 / 2;
  for (std::size_t i = 0; i < roots.size(); ++i)
    right = right && roots[i] == std::sqrt(static_cast<double>(i));
  if (!right) std::fputs("pool: the results do not fit together\n", stderr);
  return right ? 0 : 1;
}
