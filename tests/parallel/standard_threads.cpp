// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which threads execute the standard library's parallel algorithms: several of them, also after fork, in
// other threads, and while static objects are destroyed.
#include <wstree/execution.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

/// Elements that wait for each other if there are as many threads as `threads`.
bool is_executed_by(unsigned threads) {
  std::vector<int> elements(64);
  std::atomic<unsigned> inside{0}, most{0};
  std::for_each(std::execution::par, elements.begin(), elements.end(), [&](int&) {
    unsigned now = inside.fetch_add(1) + 1, before = most.load();
    while (before < now && !most.compare_exchange_weak(before, now)) {
    }
    // Bounded: so long as no second thread is there the element takes its time.
    for (int i = 0; i < 50 && most.load() < threads; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    inside.fetch_sub(1);
  });
  return most.load() >= threads;
}
bool sums_up() {
  std::vector<long> v(200'000, 3);
  return std::reduce(std::execution::par, v.begin(), v.end()) == 600'000;
}
bool check(bool holds, const char* what) {
  if (!holds) std::fprintf(stderr, "not so: %s\n", what);
  return holds;
}

struct AtExit {
  ~AtExit() {
    if (!check(sums_up(), "calls work while static objects are destroyed")) _exit(3);
  }
} g_first; // destroyed after what calls have made

} // namespace

int main() {
  const unsigned processors = std::thread::hardware_concurrency();
  bool good = check(sums_up(), "a sum");
  good &= check(processors < 2 || is_executed_by(2), "two threads execute a loop");
  bool in_other_thread = false;
  std::thread([&] { in_other_thread = sums_up() && (processors < 2 || is_executed_by(2)); }).join();
  good &= check(in_other_thread, "a call by another thread");
#if !defined(_OPENMP) // libgomp's own regions cannot be opened there
  const pid_t child = fork();
  if (child == 0) std::exit(sums_up() ? 0 : 1);
  int status = 1;
  good &=
      check(waitpid(child, &status, 0) == child && status == 0, "a call in a child of fork, and its exit");
#endif
  return good ? 0 : 1;
}
