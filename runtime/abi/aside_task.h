// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that opens libraries, in a thread of its own.
#pragma once

#include <atomic>
#include <cstddef>

namespace wstree::abi {

/// Returns whether the process has the memory sanitizer, which would end it for a library that was not built
/// with it: bytes that such a library has written count as not written there.
bool has_memory_sanitizer() noexcept;

/// The thread that holds the loader's lock may be waiting for the very region whose opener wants the work: an
/// initialiser of a plugin that waits for the thread which opens it. So another thread does the work, and the
/// opener waits for a while only.
class AsideTask {
public:
  enum class Outcome {
    ended,
    goes_on,   ///< the work takes longer than the opener waits
    given_up,  ///< the loader's list of objects stayed locked: the work is not done
    no_thread, ///< nor is it without a thread
  };

  constexpr AsideTask(void (*work)() noexcept, std::size_t stack) noexcept : work_(work), stack_(stack) {}

  /// Does the work, with all signals blocked, and waits for its end for half a second. Called once.
  Outcome run() noexcept;

private:
  enum State : int { k_begun, k_working, k_given_up, k_ended };

  static void* start(void* task) noexcept;
  bool may_open_libraries() noexcept;
  bool make_thread(unsigned long& thread) noexcept;

  void (*work_)() noexcept;
  std::size_t stack_;
  std::atomic<int> state_{k_begun}; // a futex; relaxed, all: it decides who goes on, and publishes nothing
};

} // namespace wstree::abi
