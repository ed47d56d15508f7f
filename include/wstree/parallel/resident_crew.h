// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of the library's own, one crew for the process: for programs that are compiled without OpenMP, and
// while the program's OpenMP teams keep calls waiting. They sleep between calls.
#pragma once

#include "wstree/core/tuning.h"
#include "wstree/parallel/lock.h"
#include "wstree/parallel/nesting.h"
#include "wstree/parallel/policy.h"

#include <atomic>
#include <cstdint>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace wstree {
inline namespace v1 {
namespace detail {

/// Members of a call are its caller, which begins at once, and threads of the crew that come while the call
/// goes on. The call waits for members that have begun, and for no other ones. The first call makes the
/// threads. The end of the process waits for them, unless calls go on. Without memory or threads, in a child
/// of fork, and once static objects are destroyed, callers work alone.
class ResidentCrew : public Place {
public:
  static const Place& place() noexcept {
    static ResidentCrew crew;
    return crew;
  }
  ResidentCrew(const ResidentCrew&) = delete;
  ResidentCrew& operator=(const ResidentCrew&) = delete;

private:
  /// A call that wants members. It stands in its caller's frame, and in the list while the call goes on.
  struct Invitation {
    Door door;
    Call* call;
    std::uint32_t wanted;
    Invitation* next;
  };
  static constexpr std::uint32_t k_most = 256;

  static bool is_gone() noexcept { return g_is_gone.load(std::memory_order_relaxed); }
  static void set_gone() noexcept { g_is_gone.store(true, std::memory_order_relaxed); }

  ResidentCrew() noexcept : Place{&most_members, &host}, wanted_size_(members_of_program() - 1) {
    pthread_atfork(nullptr, nullptr, [] { set_gone(); });
  }
  ~ResidentCrew() {
    if (is_gone()) return; // the threads stayed in the parent of a fork
    set_gone();
    bool is_at_work = false;
    {
      const Lock lock(mutex_);
      is_over_ = true;
      is_at_work = first_ != nullptr;
      bell_.wake_all();
    }
    // The process ends in the midst of a call, which may wait for this very thread.
    if (is_at_work) return;
    for (std::uint32_t i = 0; i < size_; ++i) pthread_join(threads_[i], nullptr);
  }

  /// Reads the processors of the process's first thread: the calling thread may be bound to fewer.
  static bool processors_of_process(cpu_set_t& set) noexcept {
    return sched_getaffinity(getpid(), sizeof set, &set) == 0;
  }
  /// Returns the size of a parallel region's team; without OpenMP one for each processor that the process
  /// may use.
  static std::uint32_t members_of_program() noexcept {
#if defined(_OPENMP)
    const int members = omp_get_max_threads();
#else
    cpu_set_t set;
    const int members = processors_of_process(set) ? CPU_COUNT(&set) : 1;
#endif
    return members < 1                          ? 1
           : members > static_cast<int>(k_most) ? k_most
                                                : static_cast<std::uint32_t>(members);
  }
  static std::uint32_t most_members(const Place& place) noexcept {
    return is_gone() ? 1 : static_cast<const ResidentCrew&>(place).wanted_size_ + 1;
  }

  static void host(const Place& place, Call& call) noexcept {
    if (auto* seat = Seats<core::StdPlatform>::mine(); seat != nullptr) return call.nest(*seat);
    auto& self = const_cast<ResidentCrew&>(static_cast<const ResidentCrew&>(place));
    if (is_gone() || !self.has_threads()) return call.work_as(0);
    Invitation invitation{{}, &call, call.guests(), nullptr};
    invitation.door.open(&call);
    self.invite(invitation);
    call.work_behind(invitation.door);
    self.withdraw(invitation);
  }

  bool has_threads() noexcept {
    static const bool k_has_any = start();
    return k_has_any;
  }
  bool start() noexcept {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    let_run_anywhere(attributes);
    // Signals are for the program's threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (size_ < wanted_size_ && pthread_create(&threads_[size_], &attributes, &serve, this) == 0) ++size_;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    return size_ != 0;
  }
  /// The creator may be bound to one place of the program's: its threads are not.
  static void let_run_anywhere(pthread_attr_t& attributes) noexcept {
    cpu_set_t all;
    CPU_ZERO(&all);
#if defined(_OPENMP)
    int processors[CPU_SETSIZE];
    for (int place = 0; place < omp_get_num_places(); ++place) {
      const int count = omp_get_place_num_procs(place);
      if (count > CPU_SETSIZE) return;
      omp_get_place_proc_ids(place, processors);
      for (int i = 0; i < count; ++i)
        if (processors[i] >= 0 && processors[i] < CPU_SETSIZE)
          CPU_SET(static_cast<unsigned>(processors[i]), &all);
    }
#endif
    if (CPU_COUNT(&all) == 0 && !processors_of_process(all)) return;
    pthread_attr_setaffinity_np(&attributes, sizeof all, &all);
  }

  void invite(Invitation& invitation) noexcept {
    const Lock lock(mutex_);
    Invitation** last = &first_;
    while (*last != nullptr) last = &(*last)->next;
    *last = &invitation;
    // relaxed: threads that spin look at the list under the lock.
    invited_.fetch_add(1, std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < sleepers_ && i < invitation.wanted; ++i) bell_.wake_one();
  }
  void withdraw(Invitation& invitation) noexcept {
    const Lock lock(mutex_);
    Invitation** at = &first_;
    while (*at != &invitation) at = &(*at)->next;
    *at = invitation.next;
  }

  static void* serve(void* crew) noexcept {
    static_cast<ResidentCrew*>(crew)->serve();
    return nullptr;
  }
  void serve() noexcept {
    for (bool is_over = false; !is_over;) {
      if (Invitation* const invitation = enter_one(is_over); invitation != nullptr) {
        Call::join_once(*invitation->call);
        invitation->door.leave();
      } else if (!is_over) {
        wait();
      }
    }
  }
  /// The thread enters under the lock, before the invitation can be withdrawn. nullptr: no call wants it.
  Invitation* enter_one(bool& is_over) noexcept {
    const Lock lock(mutex_);
    Invitation* const invitation = find_one();
    is_over = invitation == nullptr && is_over_;
    if (invitation == nullptr) return nullptr;
    --invitation->wanted;
    return invitation->door.enter() != nullptr ? invitation : nullptr;
  }
  /// Returns a call that wants the thread. Under the lock.
  Invitation* find_one() const noexcept {
    for (Invitation* at = first_; at != nullptr; at = at->next)
      if (at->wanted != 0) return at;
    return nullptr;
  }
  /// Calls often follow each other: a thread looks around for some microseconds before it sleeps.
  void wait() noexcept {
    const std::uint32_t seen = invited_.load(std::memory_order_relaxed); // likewise
    for (std::uint32_t spins = 0; spins < core::tuning::k_pool_passes; ++spins) {
      if (invited_.load(std::memory_order_relaxed) != seen) return; // likewise
      core::StdPlatform::relax();
    }
    Lock lock(mutex_);
    ++sleepers_;
    while (!is_over_ && find_one() == nullptr) bell_.wait(lock);
    --sleepers_;
  }

  static inline constinit std::atomic<bool> g_is_gone{false}; // relaxed, everywhere: no data come with it

  Mutex mutex_;
  Bell bell_; // there is an invitation, or the end
  // Under the lock:
  Invitation* first_ = nullptr; // the oldest
  std::uint32_t sleepers_ = 0;
  bool is_over_ = false;
  // Beside it:
  /// Goes round: an equal number costs a sleep, before which the list is read.
  std::atomic<std::uint32_t> invited_{0};
  std::uint32_t wanted_size_;
  std::uint32_t size_ = 0;
  pthread_t threads_[k_most];
};

} // namespace detail

/// `.on(resident_crew)`: threads of the library's own instead of an OpenMP team.
struct resident_crew_t {
  const detail::Place& place() const noexcept { return detail::ResidentCrew::place(); }
};
inline constexpr resident_crew_t resident_crew{};

} // namespace v1
} // namespace wstree
