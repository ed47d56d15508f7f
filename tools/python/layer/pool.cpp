// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pool.h"

#include "wstree/core/platform.h"

#include <bit>
#include <chrono>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

namespace layer {

thread_local Thread self;

namespace {

/// Time for which threads spin before they sleep: the next loop of a program mostly follows soon.
constexpr std::chrono::microseconds k_spin{200};

constexpr std::uint64_t k_seat = std::uint64_t{1} << 32;

void relax() noexcept { wstree::core::StdPlatform::relax(); }

/// Returns when the word is not `seen` any more; later changes acquire the writes before them.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  const auto until = std::chrono::steady_clock::now() + k_spin;
  do
    for (int i = 0; i < 64; ++i) {
      if (word.load(std::memory_order_acquire) != seen) return;
      relax();
    }
  while (std::chrono::steady_clock::now() < until);
  word.wait(seen, std::memory_order_acquire);
}

/// The thread is a member of a loop as long as this exists.
class Membership {
public:
  Membership(int id, int mask) noexcept : before_{self} { self = {mask, id}; }
  ~Membership() { self.id = before_.id; }
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

private:
  Thread before_;
};

} // namespace

void Pool::execute(const Call& call) {
  start_helpers();
  // Acquire: the accesses by the members of the loop that had the slot before happen before the slot
  // is written.
  std::uint32_t used = used_.load(std::memory_order_relaxed);
  std::uint32_t mine = 0;
  do {
    mine = ~used & (used + 1); // the lowest free bit
  } while (mine != 0 && !used_.compare_exchange_weak(used, used | mine, std::memory_order_acquire));
  if (mine == 0) { // as many loops at a time as there are slots: without helpers
    const Membership member{0, call.threads};
    call.execute(0);
    return;
  }
  Slot& slot = slots_[std::countr_zero(mine)];
  slot.call = call;
  slot.left.store(0, std::memory_order_relaxed);
  // Release: a helper that joins sees the call.
  slot.seats.store(static_cast<std::uint64_t>(call.threads - 1) * k_seat, std::memory_order_release);
  // Release: a helper that sees the number finds the slot.
  published_.fetch_add(1, std::memory_order_release);
  published_.notify_all();
  {
    const Membership member{0, call.threads};
    call.execute(0);
  }
  // Relaxed: the helpers that joined publish their end by `left`.
  const auto joined = static_cast<std::uint32_t>(slot.seats.exchange(0, std::memory_order_relaxed));
  // Acquire: the iterations of helpers happen before this returns.
  for (std::uint32_t left = slot.left.load(std::memory_order_acquire); left != joined;
       left = slot.left.load(std::memory_order_acquire))
    wait_while(slot.left, left);
  used_.fetch_and(~mine, std::memory_order_release);
}

bool Pool::join_a_loop() {
  // Acquire: with the seats, which are written before the number of loops.
  for (std::uint32_t used = used_.load(std::memory_order_acquire); used != 0; used &= used - 1) {
    Slot& slot = slots_[std::countr_zero(used)];
    std::uint64_t seats = slot.seats.load(std::memory_order_relaxed);
    while (seats >= k_seat) {
      // Acquire: the call that was written before the seats.
      if (!slot.seats.compare_exchange_weak(seats, seats - k_seat + 1, std::memory_order_acquire)) continue;
      const auto id = static_cast<unsigned>(seats) + 1;
      {
        const Membership member{static_cast<int>(id), slot.call.threads};
        slot.call.execute(id);
      }
      // Release: for the caller, which may use the slot for its next loop from now on.
      slot.left.fetch_add(1, std::memory_order_release);
      slot.left.notify_one();
      return true;
    }
  }
  return false;
}

void* Pool::help(void* pool) {
  auto& self_pool = *static_cast<Pool*>(pool);
  for (;;) {
    // Acquire: all loops of that number are found.
    const std::uint32_t seen = self_pool.published_.load(std::memory_order_acquire);
    if (!self_pool.join_a_loop()) wait_while(self_pool.published_, seen);
  }
  return nullptr;
}

void Pool::start_helpers() {
  // Relaxed: threads see writes from before their creation.
  if (are_started_.load(std::memory_order_relaxed) || are_started_.exchange(true, std::memory_order_relaxed))
    return;
  pthread_attr_t detached;
  if (pthread_attr_init(&detached) != 0) return;
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  // The thread that calls first may be bound to less than the process, and signals are for its threads.
  cpu_set_t processors;
  if (sched_getaffinity(getpid(), sizeof processors, &processors) == 0)
    pthread_attr_setaffinity_np(&detached, sizeof processors, &processors);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  for (int i = 1; i < threads_; ++i)
    if (pthread_create(&thread, &detached, &help, this) != 0) break;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&detached);
}

void Pool::forget() noexcept {
  // Relaxed: there is one thread.
  are_started_.store(false, std::memory_order_relaxed);
  used_.store(0, std::memory_order_relaxed);
  for (Slot& slot : slots_) slot.seats.store(0, std::memory_order_relaxed);
}

} // namespace layer
