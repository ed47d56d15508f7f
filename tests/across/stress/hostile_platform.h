// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine that interrupts at the worst places: threads lose their processor or dawdle just before
// operations on shared memory, and memory is refused. Every operation asks for its order by its tag, which is
// where the interruption comes in.
#pragma once

#include "random.h"

#include "wstree/core/platform.h"

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

struct HostilePlatform : StdPlatform {
  static std::memory_order order(Tag tag, std::memory_order needed) noexcept {
    Interruptions::mine().before(tag);
    return needed;
  }
  static void* allocate(std::size_t bytes) noexcept {
    return Interruptions::mine().refuses() ? nullptr : StdPlatform::allocate(bytes);
  }
};

} // namespace stress
