// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thief's search where distance matters.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/neighbourhood.h"
#include "wstree/core/rng.h"
#include "wstree/core/settings.h"
#include "wstree/core/tree/search/surroundings.h"
#include "wstree/core/tree/search/worth.h"
#include "wstree/core/tree/tree.h"
#include "wstree/core/tuning.h"

#include <cstdint>

namespace wstree::core {

/// Finds the node with most left to do among those that are as near as they should be (surroundings.h).
/// Private to its member.
template <class P> class Nearby {
public:
  /// `near` may be null: all members are equally far from each other.
  void enter(const Settings& settings, const Neighbourhood* near) noexcept {
    settings_ = &settings;
    near_ = near;
  }

  bool matters() const noexcept { return near_ != nullptr; }

  /// Target::node is nullptr if there is none. `share`: eighths of the node that are for the thief if it has
  /// to be split, where that is not half of it.
  Target<P> best(const View<P>& view, Rng& rng, Worth<P>& worth, std::uint32_t& share) const {
    for (;;) {
      Surroundings<P> around(*near_);
      look_around(view, rng, worth, around);
      const auto choice = around.choose(worth.enough());
      if (choice.target.node == nullptr || choice.target.word.phase() != Phase::owned) return choice.target;
      // The search has taken time, and its owner has gone on.
      Target<P> fresh = choice.target;
      fresh.look_again(view.use());
      if (fresh.word.phase() == Phase::owned && 2 * fresh.remaining() > choice.target.remaining()) {
        share = choice.share;
        return fresh;
      }
      P::relax();
    }
  }

private:
  /// The lines of members that are farther away cost most of a search.
  void look_around(const View<P>& view, Rng& rng, Worth<P>& worth, Surroundings<P>& around) const {
    const std::uint32_t roots = view.shape().roots();
    Domain inner;
    for (std::uint32_t r = 0; r < around.rings(); ++r) {
      const Domain domain = around.domain(r, roots);
      const std::uint32_t left = inner.begin - std::min(domain.begin, inner.begin);
      const std::uint32_t right = domain.end - std::min(inner.end, domain.end);
      const std::uint32_t first_right = std::max(inner.end, domain.begin);
      const std::uint32_t all = r == 0 ? domain.end - domain.begin : left + right;
      const std::uint32_t sampled =
          r <= around.home() ? tuning::k_sample_near
                             : std::max(tuning::k_sample_far / (around.rings() - 1 - around.home()), 2U);
      const std::uint32_t looked = all <= tuning::k_scan_ring || !view.has_board(*settings_) ? all : sampled;
      // Evenly spread, because in most loops neighbours have similar work.
      const std::uint32_t start = looked < all ? rng.below(all) : 0;
      around.expect(r, looked, all);
      for (std::uint32_t i = 0; i < looked; ++i) {
        const std::uint32_t at = (start + static_cast<std::uint32_t>(std::uint64_t{i} * all / looked)) % all;
        const std::uint32_t position = r == 0      ? domain.begin + at
                                       : at < left ? domain.begin + at
                                                   : first_right + at - left;
        const std::uint32_t root = near_->root(position);
        if (root >= roots) continue;
        view.leaves(view.current(root), [&](const Target<P>& target) {
          const std::uint64_t value = worth(target);
          if (value == 0) return false;
          const std::uint32_t owner = target.is_untouched_root() ? position : target.node->owner();
          around.saw(r, position, owner, target, value);
          return false;
        });
      }
      inner = domain;
    }
  }

  const Settings* settings_ = nullptr;
  const Neighbourhood* near_ = nullptr; // nullptr: distance does not matter
};

} // namespace wstree::core
