// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The many loops of one region (a program whose time steps are inside of it): in which way they take least
// time.
#pragma once

#include "way_choice.h"

#include "wstree/core/platform.h"
#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace wstree::loop {

/// Member 0 looks at the clock after every few loops. All that lies between is in that time, whichever way
/// they go. Private to member 0, which is the opener. Zeroed memory is a valid state.
class Steps {
public:
  Steps() = default;
  explicit Steps(Way preferred) noexcept : choice_(preferred) {}

  /// The region opens, or its loops go another way from number `first` on.
  void begin(std::uint64_t first) noexcept {
    first_ = first;
    largest_ = 0;
    met_ = 0;
    tree_ = {};
  }
  /// That of loops that are no larger than largest().
  Way way() const noexcept { return known_ == 0 || rest_ != 0 ? Way::tree : choice_.way(); }
  /// Size of the largest loops that were brief; 0 if all go to the tree.
  unsigned largest() const noexcept { return way() == Way::tree ? 0 : known_; }

  /// Member 0 leaves a loop that was on the tree, in which it has worked so many ticks.
  void note(float ticks) noexcept {
    if (met_ == 0) return; // the loop goes the way of before
    tree_.ticks += ticks;
    ++tree_.loops;
  }

  /// Member 0 is about to start loop number `next`, of `size`, of a team of `members`. Returns whether there
  /// is something new. `ticks()` is asked now and then.
  template <class Ticks>
  bool meet(std::uint64_t next, unsigned size, std::uint32_t members, const core::Settings& settings,
            Ticks&& ticks) noexcept {
    if (next < first_) return false; // these go the way of before
    bool is_new = false;
    if (met_ == 0) {
      since_ = ticks();
    } else if (met_ == core::tuning::k_steps) {
      const std::uint64_t now = ticks();
      judge(now, members, settings);
      since_ = now;
      is_new = true;
    }
    ++met_;
    largest_ = std::max(largest_, size);
    return is_new;
  }
  /// After the join: a region may have too few loops for anything new.
  template <class Ticks>
  void end(std::uint32_t members, const core::Settings& settings, Ticks&& ticks) noexcept {
    if (met_ != 0) judge(ticks(), members, settings);
  }
  bool has_met() const noexcept { return met_ != 0; }

private:
  void judge(std::uint64_t now, std::uint32_t members, const core::Settings& settings) noexcept {
    const float each =
        static_cast<float>(core::elapsed(since_, now)) / static_cast<float>(std::exchange(met_, 0));
    const unsigned largest = std::exchange(largest_, 0);
    const bool all_went = way() != Way::tree && largest <= known_;
    const float longest = core::tuning::k_even_brief * static_cast<float>(settings.shortest_target);
    const OnTree tree = std::exchange(tree_, {});
    if (each > longest && !(tree.loops != 0 ? is_waiting(each, tree, longest) : waits_again(each)))
      return back_off();
    if (rest_ != 0) {
      --rest_;
      return;
    }
    if (calm_ != 0 && --calm_ == 0) next_rest_ /= 2;
    // The last size has no end.
    known_ = std::max(known_, std::min(largest, k_largest));
    // Those that were larger have gone to the tree. How much of the time is work nobody knows, and so nobody
    // is to be alone with it.
    if (all_went || choice_.way() == Way::tree) choice_.judge({each, 0, 0}, members, false);
  }
  struct OnTree {
    float ticks = 0; // that member 0 worked in these loops
    std::uint32_t loops = 0;
  };
  /// Where threads wait for processors a loop takes longer than its work. That is known of loops on the tree,
  /// unless member 0 comes too late for an iteration of any. A pause between two loops looks like waiting
  /// too, but comes once: so a look raises the limit only to twice what it was, and a little.
  bool is_waiting(float each, const OnTree& tree, float longest) noexcept {
    if (tree.ticks == 0 || tree.ticks / static_cast<float>(tree.loops) > longest) return false;
    waiting_ = std::max(std::min(each, 2 * waiting_ + longest), waiting_ - waiting_ / 8);
    return true;
  }
  /// Of loops in equal parts the work is not known: they have to take about as long as those did.
  bool waits_again(float each) const noexcept { return each <= core::tuning::k_like_before * waiting_; }
  /// There was a long loop, which may come again: nothing but its size would tell it from the brief ones.
  void back_off() noexcept {
    known_ = 0;
    rest_ = next_rest_ = std::clamp(2 * next_rest_, core::tuning::k_least_rest, core::tuning::k_longest_rest);
    calm_ = 4 * next_rest_;
  }

  static constexpr unsigned k_largest = k_sizes - 2;

  WayChoice choice_;
  std::uint64_t first_ = 0; // number of the loop from which on the choice holds
  std::uint64_t since_ = 0; // ticks
  std::uint32_t met_ = 0;   // loops since then
  unsigned largest_ = 0;    // of these
  unsigned known_ = 0;
  OnTree tree_;            // those of them that were on the tree
  float waiting_ = 0;      // ticks of a loop on the tree that took long with brief work; the most of late
  std::uint32_t rest_ = 0; // times that come in which all loops go to the tree
  std::uint32_t next_rest_ = 0;
  std::uint32_t calm_ = 0; // times without a long loop until the rests become shorter
};

} // namespace wstree::loop
