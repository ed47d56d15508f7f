// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static loops that balance themselves: loops without a clause under WSTREE_LOOPS=static, with the library's
// own code (core/feedback). Needs several rounds.
//
// Modelled: two looks at the clock in each member and loop. No shared memory is touched in a loop. Left out:
// the opener's work between regions, some hundred nanoseconds for two members.
#pragma once

#include "central.h"

#include "wstree/core/feedback/balance.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wstree::simulate {

/// All rounds of one loop; between two of them all members have left.
template <class P> class BalancedStaticLoop {
public:
  explicit BalancedStaticLoop(std::uint32_t members)
      : members_(members), memory_(core::Balance::bytes(members) / sizeof(double) + 1), took_(members) {}

  void enter() noexcept {}
  void leave(std::uint32_t) noexcept {}

  /// Opens the loop; called by every member. The first one of a round does the library's work
  /// between regions.
  void open(const core::Entry& entry) {
    if (!core::Balance::can_cut(entry.iterations, members_)) return;
    if (balance_.iterations() != entry.iterations) {
      balance_.begin(memory_.data(), entry.iterations, members_);
    } else if (number_ != entry.loop && told_ == members_) {
      balance_.learn([this](std::uint32_t m) { return took_[m]; });
    }
    if (number_ != entry.loop) told_ = 0;
    number_ = entry.loop;
  }
  std::uint64_t bound(std::uint64_t iterations, std::uint32_t part) const noexcept {
    return core::Balance::can_cut(iterations, members_) ? balance_.bound(part)
                                                        : core::equal_bound(iterations, members_, part);
  }
  void tell(std::uint32_t member, std::uint64_t ticks) noexcept {
    took_[member] = ticks;
    ++told_;
  }

private:
  std::uint32_t members_;
  core::Balance balance_;
  std::vector<double> memory_;
  std::vector<std::uint64_t> took_;
  std::uint64_t number_ = 0; // number of the round
  std::uint32_t told_ = 0;   // members that have ended it
};

template <class P> class StaticBalanced : public StealsNothing {
public:
  using Loop = BalancedStaticLoop<P>;

  void enter(Loop& loop, const core::Entry& entry) {
    loop.open(entry);
    index_ = entry.index;
    begin_ = loop.bound(entry.iterations, index_);
    end_ = loop.bound(entry.iterations, index_ + 1);
    entered_ = P::ticks();
  }
  bool take(Loop& loop, core::Range& out) noexcept {
    if (begin_ == end_) {
      loop.tell(index_, P::ticks() - entered_);
      return false;
    }
    out = {begin_, end_, false};
    begin_ = end_;
    return true;
  }
  static std::uint64_t unclaimed(Loop&, const core::Entry&) noexcept { return 0; }

private:
  std::uint32_t index_ = 0;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t entered_ = 0;
};

} // namespace wstree::simulate
