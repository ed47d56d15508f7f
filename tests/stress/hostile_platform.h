// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine that interrupts at the worst places: threads lose their processor or dawdle just before
// operations on shared memory, and memory is refused. Every operation asks for its order by its tag, which is
// where the interruption comes in. With WSTREE_STRESS_SPLIT read-modify-writes of one tag are no longer
// atomic, which shows that the checks would notice.
#pragma once

#include "random.h"

#include "wstree/core/platform.h"

#include <atomic>
#include <cstdint>

#include <sched.h>

namespace stress {

using wstree::core::StdPlatform;
using wstree::core::Tag;

/// What the threads of one region have to expect.
struct Weather {
  std::uint32_t gap = 0;           ///< operations between two interruptions, on average; 0: none
  int hot_tag = -1;                ///< half of the operations with this tag are interrupted
  std::uint32_t refuse_one_in = 0; ///< requests for memory; 0: none
  std::uint32_t yields = 0;        ///< of each thread; on a busy machine each may cost milliseconds
};

/// The present thread's share of the weather.
class Interruptions {
public:
  static Interruptions& mine() { return mine_; }

  void begin(const Weather& weather, std::uint64_t seed) {
    weather_ = weather;
    random_ = Random(seed);
    yields_ = weather.yields;
    wait();
  }
  void end() { weather_ = {}; }

  void before(Tag tag) {
    if (weather_.gap != 0 && --left_ == 0) {
      wait();
      interrupt();
    } else if (static_cast<int>(tag) == weather_.hot_tag && random_.coin()) {
      interrupt();
    }
  }
  bool refuses() { return weather_.refuse_one_in != 0 && random_.one_in(weather_.refuse_one_in); }

  /// Away for a moment, which is rather long for a thread that spins.
  void interrupt() {
    if (yields_ > 0 && random_.coin()) {
      --yields_;
      sched_yield();
    } else {
      for (auto spins = random_.below(1ULL << random_.between(3, 11)); spins > 0; --spins)
        StdPlatform::relax();
    }
  }

private:
  void wait() {
    if (weather_.gap != 0) left_ = random_.between(1, 2ULL * weather_.gap - 1);
  }

  Weather weather_;
  std::uint64_t left_ = 0;
  std::uint32_t yields_ = 0;
  Random random_{0};
  static thread_local Interruptions mine_;
};

inline thread_local constinit Interruptions Interruptions::mine_{};

#ifdef WSTREE_STRESS_SPLIT
struct NamedTag {
  const char* name;
  Tag tag;
};
/// Those whose read-modify-write decides which member gets what.
inline constexpr NamedTag k_splittable[] = {
    {"own", Tag::own},
    {"advance", Tag::advance},
    {"stop", Tag::stop},
    {"adopt", Tag::adopt},
    {"take_last", Tag::take_last},
    {"take_share", Tag::take_share},
    {"contend", Tag::contend},
    {"keep_quarter", Tag::keep_quarter},
    {"steal_range", Tag::steal_range},
    {"enter_counter", Tag::enter_counter},
    {"take_step", Tag::take_step},
    {"raise_counter", Tag::raise_counter},
    {"take_oldest", Tag::take_oldest},
    {"take_only_item", Tag::take_only_item},
    {"lock_queue", Tag::lock_queue},
    {"grow", Tag::grow},
    {"next_base", Tag::next_base},
    {"count_leaver", Tag::count_leaver},
    {"absent", Tag::absent},
};
inline int split_tag = -1; ///< its read-modify-writes are a load and a store
inline thread_local Tag latest_tag{};

template <class T> class SplitAtomic : public std::atomic<T> {
public:
  using std::atomic<T>::atomic;
  T exchange(T wanted, std::memory_order order) noexcept {
    if (!split()) return std::atomic<T>::exchange(wanted, order);
    const T seen = this->load(std::memory_order_seq_cst);
    Interruptions::mine().interrupt();
    this->store(wanted, std::memory_order_seq_cst);
    return seen;
  }
  T fetch_add(T more, std::memory_order order) noexcept {
    if (!split()) return std::atomic<T>::fetch_add(more, order);
    return exchange(static_cast<T>(this->load(std::memory_order_seq_cst) + more), order);
  }
  bool compare_exchange_strong(T& expected, T wanted, std::memory_order a, std::memory_order b) noexcept {
    if (!split()) return std::atomic<T>::compare_exchange_strong(expected, wanted, a, b);
    if (const T seen = this->load(std::memory_order_seq_cst); seen != expected) {
      expected = seen;
      return false;
    }
    exchange(wanted, a);
    return true;
  }
  bool compare_exchange_weak(T& expected, T wanted, std::memory_order a, std::memory_order b) noexcept {
    return compare_exchange_strong(expected, wanted, a, b);
  }

private:
  static bool split() noexcept { return static_cast<int>(latest_tag) == split_tag; }
};
#endif

struct HostilePlatform : StdPlatform {
  static std::memory_order order(Tag tag, std::memory_order needed) noexcept {
    Interruptions::mine().before(tag);
#ifdef WSTREE_STRESS_SPLIT
    latest_tag = tag;
#endif
    return needed;
  }
  static void* allocate(std::size_t bytes) noexcept {
    return Interruptions::mine().refuses() ? nullptr : StdPlatform::allocate(bytes);
  }
#ifdef WSTREE_STRESS_SPLIT
  template <class T> using Atomic = SplitAtomic<T>;
#endif
};

} // namespace stress
