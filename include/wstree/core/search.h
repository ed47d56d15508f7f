// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The six orders in which a worker looks for work (the paper, section 4 and appendix A.2).
#pragma once

#include "wstree/core/rng.h"
#include "wstree/core/settings.h"
#include "wstree/core/tree.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace wstree::core {

/// What came of an attempt to claim a node.
enum class Claim : std::uint8_t {
  taken,
  lost_race, ///< somebody else got ahead; the node is worth another look
  refused,   ///< not worth it, or no memory for its children
};

/// Private to its worker. The roots are the leaves of an imaginary complete binary tree, so that the paper's
/// traversals, which start from one root, have the same levels here.
template <class P> class Search {
public:
  void enter(const Settings& settings, std::uint32_t index, std::uint32_t members) noexcept {
    settings_ = &settings;
    index_ = index;
    levels_ = std::max(1U, static_cast<std::uint32_t>(std::bit_width(members - 1)));
  }

  /// Whether this worker goes on with the left child after a split at `level`: as the victim or as the thief.
  bool chooses_left(std::uint32_t level, bool victim, Rng& rng) const noexcept {
    switch (settings_->strategy) {
    case Strategy::assign:
      return bit(level);
    case Strategy::assign_top:
      return level <= levels_ ? bit(level) : rng.coin();
    case Strategy::random_all:
      return rng.coin();
    default:
      return victim;
    }
  }

  /// Visits what is not EXPANDED and has units left, in the order of the strategy, until `claim(Target)` says
  /// `taken`. False: nothing is left that could be claimed. Only for strategies other than find_max.
  template <class TryClaim> bool traverse(const View<P>& view, Rng& rng, TryClaim&& claim) const {
    return traverse_roots(view, 0, view.shape().roots(), 0, rng, claim);
  }

  /// The node with most left to do by `worth(Target)` (at most 0: not worth a steal); Target::node is nullptr
  /// if there is none. With many roots a sample is looked at first, near ones and far ones, because looking
  /// at all of them costs a cache miss each; only an empty sample makes it look at all.
  template <class Worth> Target<P> best(const View<P>& view, Rng& rng, Worth&& worth) const {
    Target<P> found;
    float most = 0;
    auto consider = [&](const Target<P>& target) {
      const float value = worth(target);
      if (value > most) {
        most = value;
        found = target;
      }
      return false;
    };
    const std::uint32_t roots = view.shape().roots();
    if (roots > k_scan_all) {
      for (std::uint32_t i = 0; i < k_sample / 2; ++i) {
        const std::uint32_t near = index_ ^ (i + 1);
        view.leaves(view.root(near < roots ? near : rng.below(roots)), consider);
        view.leaves(view.root(rng.below(roots)), consider);
      }
      if (found.node != nullptr) return found;
    }
    view.any_leaf(consider);
    return found;
  }

private:
  static constexpr std::uint32_t k_scan_all =
      16; // roots; a simulation of 1,024 members found 8 samples enough
  static constexpr std::uint32_t k_sample = 8;

  bool bit(std::uint32_t level) const noexcept { return (index_ >> level % levels_ & 1U) != 0; }

  bool searches_left_first(std::uint32_t level, Rng& rng) const noexcept {
    switch (settings_->strategy) {
    case Strategy::assign:
      return bit(level);
    case Strategy::assign_top:
      return level <= levels_ ? bit(level) : rng.coin();
    case Strategy::random_walk:
    case Strategy::random_all:
      return rng.coin();
    default:
      return true;
    }
  }

  template <class TryClaim>
  bool traverse_roots(const View<P>& view, std::uint32_t low, std::uint32_t high, std::uint32_t level,
                      Rng& rng, TryClaim& claim) const {
    if (high - low == 1) return traverse_nodes(view, view.root(low), level, rng, claim);
    const std::uint32_t middle = low + (high - low + 1) / 2;
    if (searches_left_first(level, rng))
      return traverse_roots(view, low, middle, level + 1, rng, claim) ||
             traverse_roots(view, middle, high, level + 1, rng, claim);
    return traverse_roots(view, middle, high, level + 1, rng, claim) ||
           traverse_roots(view, low, middle, level + 1, rng, claim);
  }

  template <class TryClaim>
  bool traverse_nodes(const View<P>& view, Target<P> target, std::uint32_t level, Rng& rng,
                      TryClaim& claim) const {
    while (true) {
      if (target.word.phase() == Phase::stolen) {
        if (auto pair = target.node->children(view.use())) {
          const bool left_first = searches_left_first(level, rng);
          auto first = view.inner(left_first ? pair : pair + 1);
          if (traverse_nodes(view, first, level + 1, rng, claim)) return true;
          return traverse_nodes(view, view.inner(left_first ? pair + 1 : pair), level + 1, rng, claim);
        }
      } else if (target.remaining() == 0) {
        return false;
      }
      const Claim outcome = claim(target);
      if (outcome != Claim::lost_race) return outcome == Claim::taken;
      // Look at what the node has become.
      target.raw = target.node->inspect();
      target.word = Word::seen(target.raw, view.use());
    }
  }

  const Settings* settings_ = nullptr;
  std::uint32_t index_ = 0;
  std::uint32_t levels_ = 1;
};

} // namespace wstree::core
