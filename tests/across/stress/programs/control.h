// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an OpenMP program and the process that torments it tell each other, in memory that both see. Each of
// them waits for values.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace stress {

inline constexpr std::uint32_t k_most_members = 64;
inline constexpr std::uint32_t k_not_wanted = ~std::uint32_t{0};

struct Control {
  // Written by the program.
  std::atomic<std::uint32_t> bell{0};    ///< changes whenever there may be news
  std::atomic<std::uint32_t> planned{0}; ///< the round whose members and size are known
  std::atomic<std::uint32_t> ended{0};   ///< the round that was found complete
  std::atomic<std::uint32_t> members{0};
  std::atomic<std::uint32_t> inside{0}; ///< members that have left the barrier at the region's beginning
  std::atomic<std::uint32_t> size{0};   ///< iterations of all loops of the round
  std::atomic<std::uint32_t> done{0};
  std::atomic<std::uint32_t> held{0}; ///< members that stand in their handler
  std::atomic<std::int32_t> threads[k_most_members] = {};
  // Written by the tormentor.
  std::atomic<std::uint32_t> go{0}; ///< 2r - 1: plan round r; 2r: run it
  std::atomic<std::uint32_t> pause{
      0};                             ///< 1: members that come to the wanted iteration wait for another value
  std::atomic<std::uint32_t> gate{0}; ///< a change releases the held members
  std::atomic<std::uint32_t> wanted{k_not_wanted}; ///< ring the bell when so much is done
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(std::atomic<std::uint32_t>) == 4);

/// Until `word` is no longer `seen`, a signal or spurious; at most `limit`, if there is one.
inline void wait_for_change(std::atomic<std::uint32_t>& word, std::uint32_t seen,
                            const timespec* limit = nullptr) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, seen, limit, nullptr, 0);
}

inline void wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

inline void change(std::atomic<std::uint32_t>& word) {
  word.fetch_add(1);
  wake(word);
}

} // namespace stress
