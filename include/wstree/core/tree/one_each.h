// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member in a loop of no more iterations than members.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/scheduler.h"
#include "wstree/core/tree/tree.h"
#include "wstree/core/tuning.h"

#include <cstdint>

namespace wstree::core {

/// There is nothing to divide, and each iteration stays with the member whose data it works on, if that
/// member comes: a member takes its own iteration, then looks once at all other iterations, and takes those
/// that are still there. A loop of a microsecond and a loop of a millisecond at one code location look alike
/// here, and need not differ. Private to its member.
template <class P> class OneEach {
public:
  void enter(Tree<P>& tree, const Entry& entry) noexcept {
    tree_ = &tree;
    loop_ = entry.loop;
    use_ = entry.use;
    index_ = next_ = entry.index;
    last_ = static_cast<std::uint32_t>(entry.iterations) - 1;
    left_ = last_ + 1;
    counts_ = {};
    counts_.known = 1;
    since_ = 0;
    if (entry.settings->clocked) [[unlikely]]
      since_ = P::ticks();
  }

  /// Gives the member its next iteration. Returns false when every iteration is in the hands of some member.
  bool next(Range& out) noexcept {
    if (since_ != 0) [[unlikely]]
      account();
    if (left_ > last_) {
      --left_;
      if (index_ < last_) {
        if (take(index_)) return give(out, index_);
      } else if (index_ == last_ && (last_ == 0 || are_taken())) {
        left_ = 0;
      }
    }
    for (; left_ != 0; --left_) {
      next_ = next_ + 1 < last_ ? next_ + 1 : 0;
      if (!take(next_)) continue;
      --left_;
      ++counts_.steals;
      return give(out, next_);
    }
    if (last_ == k_done || !tree_->last.claim(loop_)) return false;
    give(out, last_);
    out.last = true;
    last_ = k_done; // the member gets nothing after the last iteration
    return true;
  }

  const Counts& counts() const noexcept { return counts_; }

private:
  using Word = WordOf<P>;
  static constexpr std::uint32_t k_done = ~0U;

  bool is_free(std::uint32_t root, std::uint64_t& raw) const noexcept {
    raw = tree_->root(root)->inspect();
    return Word::seen(raw, use_).phase() == Phase::available;
  }
  bool take(std::uint32_t root) noexcept {
    std::uint64_t raw = 0;
    return is_free(root, raw) && tree_->root(root)->own(raw, Word(Phase::owned, use_, 1, 0));
  }
  bool give(Range& out, std::uint32_t iteration) noexcept {
    out = {iteration, std::uint64_t{iteration} + 1, false};
    ++counts_.iterations;
    ++counts_.batches;
    return true;
  }
  /// Waits for at most k_late_looks looks, and returns whether iterations 0 to n-2 are taken. For the member
  /// whose own iteration is n-1: it gets nothing after n-1, so without the wait it would first take the
  /// iterations of members that come a little later.
  [[gnu::noinline]] bool are_taken() const noexcept {
    std::uint64_t raw = 0;
    std::uint32_t looks = 0;
    for (std::uint32_t root = 0; root < last_; ++root)
      for (; is_free(root, raw); P::relax())
        if (++looks == tuning::k_late_looks) return false;
    return true;
  }
  [[gnu::noinline]] void account() noexcept {
    const std::uint64_t now = P::ticks();
    if (counts_.batches != 0) counts_.busy_ticks += elapsed(since_, now);
    since_ = now;
  }

  Tree<P>* tree_;
  std::uint64_t loop_;
  std::uint64_t use_;
  std::uint64_t since_; // when the clock was read last; 0: it is not
  std::uint32_t index_;
  std::uint32_t last_; // iteration n-1; k_done: the member has it
  std::uint32_t
      left_; // iterations before it that the member may still look at, and one more before the first
  std::uint32_t next_; // the iteration that it looked at last
  Counts counts_;
};

} // namespace wstree::core
