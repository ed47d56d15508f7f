// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams of std::thread instead of OpenMP, so that sanitizers see all synchronisation.
#pragma once

#include <barrier>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace wstree::test {

/// Runs body(member) on `members` threads at once.
inline void in_parallel(std::uint32_t members, const std::function<void(std::uint32_t)>& body) {
  std::barrier start(static_cast<std::ptrdiff_t>(members)); // outlives the threads
  std::vector<std::jthread> threads;
  for (std::uint32_t m = 0; m < members; ++m)
    threads.emplace_back([&, m] {
      start.arrive_and_wait();
      body(m);
    });
}

} // namespace wstree::test
