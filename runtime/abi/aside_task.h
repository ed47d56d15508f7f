// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that takes the loader's lock, in a thread of its own.
#pragma once

#include <atomic>
#include <cstddef>

namespace wstree::abi {

/// The thread that holds the loader's lock may be waiting for the very region whose opener wants the work: an
/// initialiser of a plugin that waits for the thread which opens it. So another thread does the work, and the
/// opener waits for a while only.
class AsideTask {
public:
  constexpr AsideTask(void (*work)() noexcept, std::size_t stack) noexcept : work_(work), stack_(stack) {}

  /// Does the work, with all signals blocked, and waits for its end for half a second. What takes longer goes
  /// on. Called once. False: there is no thread for it, and nothing was done.
  bool run() noexcept;

private:
  static void* start(void* task) noexcept;
  bool make_thread(unsigned long& thread) noexcept;

  void (*work_)() noexcept;
  std::size_t stack_;
  std::atomic<int> is_done_{0}; // a futex; relaxed: the work publishes what it has made
};

} // namespace wstree::abi
