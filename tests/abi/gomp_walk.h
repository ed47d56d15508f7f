// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How one member asks GCC's runtime for its parts of a loop: start, which hands out the first, next until
// nothing is left, one of the ends.
#pragma once

#include "loop_description.h"

#include <type_traits>

namespace oracle {

/// What one call handed out, both bounds inclusive.
template <class T> struct Part {
  T lower{}, upper{};
  std::int32_t last = 0; ///< 1: this chunk ends where the loop does
};

template <class T> class Walk {
public:
  explicit Walk(const Loop& loop)
      : loop_(loop), start_(static_cast<Value>(loop.lower)),
        end_(static_cast<Value>(loop.upper + (loop.stride > 0 ? 1 : -1))),
        incr_(static_cast<Value>(loop.stride)), chunk_(static_cast<long>(loop.chunk)) {}

  bool next(Part<T>& part) {
    Value first{}, end{};
    bool more = false;
    if (!started_) {
      started_ = true;
      more = gomp::start(loop_.schedule, chunk_, loop_.stride > 0, start_, end_, incr_, &first, &end);
    } else {
      more = gomp::next(loop_.schedule, &first, &end);
    }
    if (!more) return false;
    // Compiled code finds out that it ran the last iteration by this comparison and no other.
    part.last = end == end_ ? 1 : 0;
    part.lower = static_cast<T>(first);
    part.upper = part.last == 1 ? static_cast<T>(loop_.upper) : static_cast<T>(end - incr_);
    return true;
  }

  /// Without `plain` the end of loops that may be cancelled is called, which has a barrier.
  void leave(bool barrier, bool plain) {
    if (!barrier)
      gomp::GOMP_loop_end_nowait();
    else if (plain)
      gomp::GOMP_loop_end();
    else
      CHECK(!gomp::GOMP_loop_end_cancel(), "the region was not cancelled; %s", describe(loop_).c_str());
  }

private:
  /// The narrow types are widened to long by the compiler, even unsigned int.
  using Value = std::conditional_t<std::is_same_v<T, std::uint64_t>, gomp::Ull, long>;

  const Loop& loop_;
  Value start_, end_, incr_;
  long chunk_;
  bool started_ = false;
};

} // namespace oracle
