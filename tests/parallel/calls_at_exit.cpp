// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls before main(), and after the caller's thread-local objects were destroyed. Status 1: a call was
// wrong, or what it had allocated was not freed.
#include <wstree/parallel.hpp>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include <malloc.h>

static void call(const char* when) {
  const std::vector<int> ones(100'000, 1);
  if (wstree::reduce(wstree::par().threads(2), ones, 0, std::plus<>{}) == 100'000 &&
      wstree::sum(ones) == 100'000)
    return;
  std::fprintf(stderr, "wrong: %s\n", when);
  std::_Exit(1);
}

struct Caller {
  const char* when;
  ~Caller() { call(when); }
};
static struct AtExit {
  AtExit() { call("before main"); }
  ~AtExit() { call("after main"); }
} s_at_exit;

/// A thread whose last call comes when its cache of storages is gone.
static void run_thread() {
  std::thread([] {
    static thread_local Caller other{"at the end of another thread"};
    static_cast<void>(&other);
    call("in a thread");
  }).join();
}

int main() {
  static thread_local Caller local{"at the end of a thread"};
  static_cast<void>(&local);
  run_thread(); // what is allocated once
  const std::size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 100; ++i) run_thread();
  const std::size_t after = mallinfo2().uordblks;
  if (after < before + 100'000) return 0;
  std::fprintf(stderr, "wrong: 100 threads kept %zu bytes\n", after - before);
  return 1;
}
