// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <sched.h>
#include <thread>
#include <vector>

namespace wstree::cli {

/// Calls `compute(i)` for 0 <= i < count, each once, on as many threads as this process may use processors.
/// The first exception is thrown again when all threads have ended.
template <class Compute> void for_each_on_all_cpus(std::size_t count, Compute&& compute) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const auto cpus = known ? static_cast<std::size_t>(CPU_COUNT(&allowed)) : 1;
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto take = [&] {
    try {
      // relaxed: the number alone matters; joining the threads orders the rest.
      for (std::size_t i = 0; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) compute(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next.store(count, std::memory_order_relaxed);
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t t = 1; t < std::min(cpus, count); ++t) threads.emplace_back(take);
  take();
  threads.clear();
  if (failure) std::rethrow_exception(failure);
}

} // namespace wstree::cli
