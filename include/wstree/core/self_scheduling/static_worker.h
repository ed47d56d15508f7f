// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// schedule(static) among the models, for comparison.
#pragma once

#include "wstree/core/scheduler.h"
#include "wstree/core/self_scheduling/busy_time.h"
#include "wstree/core/self_scheduling/counter.h"
#include "wstree/core/self_scheduling/rules.h"

#include <algorithm>

namespace wstree::core {

/// Without a chunk (Entry::smallest is 0) one block per member, the first n % P members one iteration more:
/// the shares that the other models start from, and the blocks of libomp and of today's libgomp. With a
/// chunk c round robin: chunk k belongs to member k % P.
///
/// The members share nothing. An iteration is in its member's hands from the start, so that member comes for
/// it however late; the chunk with iteration n-1 is the last one in its member's order too.
template <class P> class StaticWorker {
public:
  using Loop = CounterLoop<P>; // not touched
  using Memory = NoMemory;

  void enter(Loop&, Memory&, const Entry& entry) noexcept {
    iterations_ = entry.iterations;
    members_ = entry.members;
    counts_ = {};
    if (entry.smallest == 0)
      one_block(entry.index);
    else
      round_robin(entry.index, usable_chunk(entry.smallest, iterations_));
    busy_.enter(entry.settings->clocked);
  }

  bool next(Range& out) noexcept {
    counts_.busy_ticks += busy_.back();
    if (left_ == 0) return false;
    --left_;
    const std::uint64_t end = iterations_ - begin_ > size_ ? begin_ + size_ : iterations_;
    out = {begin_, end, end == iterations_};
    if (left_ != 0) begin_ += stride_;
    counts_.iterations += end - out.begin;
    ++counts_.batches;
    busy_.handed_out();
    return true;
  }

  const Counts& counts() const noexcept { return counts_; }

  /// 0: there is nothing that another member may take.
  static std::uint64_t unclaimed(Loop&, const Entry&) noexcept { return 0; }

private:
  void one_block(std::uint32_t index) noexcept {
    const Range part = equal_part(iterations_, members_, index);
    begin_ = part.begin;
    size_ = part.end - part.begin;
    stride_ = 0;
    left_ = size_ != 0;
  }
  void round_robin(std::uint32_t index, std::uint64_t chunk) noexcept {
    const std::uint64_t chunks = divide_up(iterations_, chunk);
    size_ = chunk;
    begin_ = index * chunk;     // may wrap around,
    stride_ = members_ * chunk; // and so may this, but only where there is no such chunk
    left_ = index < chunks ? divide_up(chunks - index, members_) : 0;
  }

  std::uint64_t iterations_ = 0;
  std::uint64_t begin_ = 0; // first iteration of the next chunk
  std::uint64_t size_ = 0;
  std::uint64_t stride_ = 0; // from one chunk of this member to the next
  std::uint64_t left_ = 0;   // chunks
  std::uint32_t members_ = 1;
  BusyTime<P> busy_;
  Counts counts_;
};

} // namespace wstree::core
