// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search that is not in the paper: for the node with most left to do.
#pragma once

#include "wstree/core/rng.h"
#include "wstree/core/scheduler.h"
#include "wstree/core/settings.h"
#include "wstree/core/tree/search/board.h"
#include "wstree/core/tree/search/nearby.h"
#include "wstree/core/tree/search/worth.h"
#include "wstree/core/tree/tree.h"
#include "wstree/core/tuning.h"

#include <cstdint>

namespace wstree::core {

/// Private to its member.
template <class P> class FindMax {
public:
  void enter(const Entry& entry, const Neighbourhood* near) noexcept {
    settings_ = entry.settings;
    nearby_.enter(*entry.settings, near);
    root_ = entry.index;
    has_marked_ = false;
  }

  /// Returns the eighths of the node that next() returned which are for the thief, if it has to be split.
  std::uint32_t share() const noexcept { return share_; }

  /// A member begins to look for work: it has done its root. In a large team it notes that on the board.
  void start(const View<P>& view, Rng& rng) noexcept {
    is_again_ = false;
    if (has_marked_ || !view.has_board(*settings_)) return;
    has_marked_ = true;
    if (root_ >= view.shape().roots() || root_ >= view.shape().units()) return;
    if (view.is_done(root_, rng, [](const Target<P>&) { return true; })) view.board().mark(root_);
  }

  /// Returns the next node to try. Target::node is nullptr if no member has anything left.
  Target<P> next(const View<P>& view, Rng& rng, Worth<P>& worth) {
    for (;; is_again_ = true) {
      const Target<P> target = best(view, rng, worth);
      if (target.node != nullptr && target.remaining() == 0) continue; // its owner has done it meanwhile
      is_again_ = true;
      return target;
    }
  }

private:
  static constexpr std::uint32_t k_half = 4; // eighths

  /// Returns the node with most left to do by `worth`, among those that are as near as they should be. If
  /// there are many roots, only a sample is looked at first, because each root costs a cache miss; only an
  /// empty sample leads to the roots that are not done by the board.
  Target<P> best(const View<P>& view, Rng& rng, Worth<P>& worth) {
    share_ = k_half;
    const bool has_board = view.has_board(*settings_);
    if (has_board && view.board().is_full()) return {};
    if constexpr (k_has_neighbours<P>) {
      if (nearby_.matters() && !(has_board && is_again_)) {
        const Target<P> found = nearby_.best(view, rng, worth, share_);
        if (found.node != nullptr) return found;
      }
    }
    Best found(worth);
    if (has_board)
      sample(view, rng, found);
    else
      view.any_leaf([&](const Target<P>& target) {
        found.see(target);
        return false;
      });
    return found.target;
  }

  struct Best {
    explicit Best(Worth<P>& worth) noexcept : worth_of(worth) {}
    std::uint64_t see(const Target<P>& seen) noexcept {
      const std::uint64_t value = worth_of(seen);
      if (value > most) {
        most = value;
        target = seen;
      }
      return value;
    }
    Worth<P>& worth_of;
    Target<P> target;
    std::uint64_t most = 0;
  };

  static void sample(const View<P>& view, Rng& rng, Best& found) {
    Board<P> board = view.board();
    std::uint32_t seen = 0;
    const auto is_done = [&](std::uint32_t root) {
      return view.is_done(root, rng, [&](const Target<P>& target) {
        return found.see(target) > 0 && ++seen >= tuning::k_sample;
      });
    };
    for (std::uint32_t i = 0; i < tuning::k_sample && seen < tuning::k_sample; ++i) {
      const std::uint32_t root = board.pick(rng);
      if (root == Board<P>::k_none) break;
      if (is_done(root)) board.mark(root);
    }
    if (found.target.node == nullptr) board.walk(rng, is_done, [&] { return found.target.node != nullptr; });
    if (found.target.node != nullptr)
      found.target.look_again(view.use()); // the search has taken time, and its owner has gone on
  }

  Nearby<P> nearby_;
  const Settings* settings_ = nullptr;
  std::uint32_t root_ = 0; // the member's own
  std::uint32_t share_ = k_half;
  bool is_again_ = false;   // since start() there was a look
  bool has_marked_ = false; // the own root, on the board
};

} // namespace wstree::core
