// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member of a team in one loop on the tree, brief or not.
#pragma once

#include "wstree/core/tree/brief.h"
#include "wstree/core/tree/one_each.h"
#include "wstree/core/tree/worker.h"

#include <cstdint>
#include <memory>
#include <new>

namespace wstree::core {

/// A OneEach, a Brief as long as the loop goes as expected, else a Worker. All members are a OneEach or none;
/// besides, members need not agree. Private to its member.
template <class P> class TreeWorker {
public:
  using Loop = Tree<P>;
  using Memory = Arena<P>;

  TreeWorker() noexcept {} // leaves members without a value that need none yet
  TreeWorker(const TreeWorker&) = delete;
  TreeWorker& operator=(const TreeWorker&) = delete;

  [[gnu::always_inline]] void enter(Tree<P>& tree, Arena<P>& arena, const Entry& entry) noexcept {
    if (is_usual(entry)) [[likely]] {
      if (entry.iterations <= entry.members) {
        way_ = Way::one_each;
        return (::new (&one_each_) OneEach<P>)->enter(tree, entry);
      }
      if (Brief<P>::is_for(entry)) {
        way_ = Way::brief;
        tree_ = &tree;
        arena_ = &arena;
        return (::new (&brief_) Brief<P>)->enter(tree, entry);
      }
    }
    way_ = Way::worker;
    (::new (&worker_) Worker<P>)->enter(tree, arena, entry);
  }

  /// These do the same as those of Worker.
  bool next(Range& out) noexcept { return next_quickly(out) || next_slowly(out); }
  [[gnu::always_inline]] bool next_quickly(Range& out) noexcept {
    return way_ == Way::worker && worker_.next_quickly(out);
  }
  bool next_slowly(Range& out) noexcept {
    if (way_ == Way::worker) [[likely]]
      return worker_.next_slowly(out);
    return way_ == Way::one_each ? one_each_.next(out) : next_briefly(out);
  }

  const Counts& counts() const noexcept {
    return way_ == Way::one_each ? one_each_.counts()
           : way_ == Way::brief  ? brief_.counts()
                                 : worker_.counts();
  }
  // For traces, as those of Worker.
  std::uint64_t clock() noexcept { return worker_.clock(); }
  bool is_at_end() noexcept { return way_ != Way::worker || worker_.is_at_end(); }
  static std::uint64_t unclaimed(Tree<P>& tree, const Entry& entry) noexcept {
    return Worker<P>::unclaimed(tree, entry);
  }

private:
  enum class Way : std::uint8_t { worker, brief, one_each };

  /// Returns whether the settings are the usual ones. A loop with other settings, which are for
  /// comparisons, gets a Worker.
  static bool is_usual(const Entry& entry) noexcept {
    const Settings& settings = *entry.settings;
    return settings.history && entry.smallest <= 1 && settings.batch == BatchMode::timed &&
           settings.strategy == Strategy::find_max && settings.roots == 0;
  }

  [[gnu::noinline]] bool next_briefly(Range& out) noexcept {
    const BriefStep step = brief_.next(out);
    if (step != BriefStep::unfold) [[likely]]
      return step == BriefStep::piece;
    unfold();
    return worker_.next_slowly(out);
  }
  [[gnu::noinline]] void unfold() noexcept {
    const Brief<P> brief = brief_;
    way_ = Way::worker;
    ::new (&worker_) Worker<P>;
    worker_.enter(*tree_, *arena_, brief.entry());
    worker_.take_over(brief.held(), brief.counts(), brief.is_share_done());
  }

  Way way_ = Way::worker;
  Tree<P>* tree_;
  Arena<P>* arena_;
  union {
    OneEach<P> one_each_;
    Brief<P> brief_;
    Worker<P> worker_;
  };
};

} // namespace wstree::core
