// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The six orders in which a worker looks for work (the paper, section 4 and appendix A.2).
#pragma once

#include "wstree/core/neighbourhood.h"
#include "wstree/core/rng.h"
#include "wstree/core/settings.h"
#include "wstree/core/tree/surroundings.h"
#include "wstree/core/tree/tree.h"

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
  using Word = WordOf<P>;

  /// `near` may be null: all members are equally far from each other. `now`: ticks, 0 if nobody has looked.
  void enter(const Settings& settings, std::uint32_t index, std::uint32_t members, const Neighbourhood* near,
             std::uint64_t now) noexcept {
    settings_ = &settings;
    near_ = near != nullptr && near->count != 0 ? near : nullptr;
    index_ = index;
    levels_ = std::max(1U, static_cast<std::uint32_t>(std::bit_width(members - 1)));
    entered_ = now;
    looked_ = 0;
  }

  /// Eighths of the node that best() returned which are for the thief, if it has to be split.
  std::uint32_t share() const noexcept { return share_; }

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
  /// `taken`: first in the nearest domain, then in the one around it, and so on. False: nothing is left that
  /// could be claimed. Only for strategies other than find_max.
  template <class TryClaim> bool traverse(const View<P>& view, Rng& rng, TryClaim&& claim) const {
    const std::uint32_t roots = view.shape().roots();
    if (near_ != nullptr) {
      const Surroundings<P> around(*near_);
      for (std::uint32_t r = 0; r + 1 < around.rings(); ++r) {
        const Domain domain = around.domain(r, roots);
        if (domain.begin == domain.end) continue;
        // Levels as if the traversal had come from the top.
        const auto below = static_cast<std::uint32_t>(std::bit_width(domain.end - domain.begin - 1));
        if (traverse_roots<true>(view, domain.begin, domain.end, levels_ - std::min(below, levels_), rng,
                                 claim))
          return true;
      }
    }
    return traverse_roots<false>(view, 0, roots, 0, rng, claim);
  }

  /// The node with most left to do by `worth(Target)` (at most 0: not worth a steal), among those that are as
  /// near as they should be (surroundings.h); Target::node is nullptr if there is none. Of many roots only a
  /// sample is looked at first, because looking at all of them costs a cache miss each; only an empty sample
  /// leads to those that the board does not say to be done. `enough`: nodes that are worth less do not count
  /// as work when distance matters. `again`: this search has looked around itself before.
  template <class Worth>
  Target<P> best(const View<P>& view, Rng& rng, Worth&& worth, float enough, bool again = false) {
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
    share_ = 4;
    if (view.has_board(*settings_)) return best_on_board(view, rng, worth, enough, again);
    if (near_ != nullptr) {
      found = best_around(view, rng, worth, enough);
      if (found.node != nullptr) return found;
    }
    view.any_leaf(consider);
    return found;
  }

private:
  static constexpr std::uint32_t k_sample = 4; // roots, and leaves with work below them
  // Members at one distance, where the board makes an empty sample cheap.
  static constexpr std::uint32_t k_scan_ring = 8;
  static constexpr std::uint32_t k_sample_near = 6; // at home
  static constexpr std::uint32_t k_sample_far = 4;  // in all farther rings together
  static constexpr float k_as_much = 0.7F;          // has a home that need not compare itself with the others
  // Far nodes with less left than this part of the time so far, or than so many steals take, are left to
  // their domain.
  static constexpr float k_end = 32;
  static constexpr float k_idle = 500;

  template <class Worth>
  Target<P> best_on_board(const View<P>& view, Rng& rng, Worth& worth, float enough, bool again) {
    Board<P> board = view.board();
    Target<P> found;
    if (board.is_full()) return found;
    if (near_ != nullptr && !again) {
      found = best_around(view, rng, worth, enough);
      if (found.node != nullptr) return found;
    }
    float most = 0;
    std::uint32_t seen = 0;
    const auto is_done = [&](std::uint32_t root) {
      return view.is_done(root, rng, [&](const Target<P>& target) {
        const float value = worth(target);
        if (value > most) {
          most = value;
          found = target;
        }
        return value > 0 && ++seen >= k_sample;
      });
    };
    for (std::uint32_t i = 0; i < k_sample && seen < k_sample; ++i) {
      const std::uint32_t root = board.pick(rng);
      if (root == Board<P>::k_none) break;
      if (is_done(root)) board.mark(root);
    }
    if (found.node == nullptr) board.walk(rng, is_done, [&] { return found.node != nullptr; });
    if (found.node == nullptr) return found;
    found.raw = found.node->inspect(); // the search has taken time, and its owner has gone on
    found.word = Word::seen(found.raw, view.use());
    return found;
  }

  /// What the member with that root works on: the node that it holds elsewhere, or its root.
  Target<P> current(const View<P>& view, std::uint32_t root) const {
    auto* held = view.tree().root(root)->held(view.use());
    return held != nullptr ? view.inner(held) : view.root(root);
  }

  template <class Worth> Target<P> best_around(const View<P>& view, Rng& rng, Worth& worth, float enough) {
    for (float waited = 0, first = 0;;) {
      Surroundings<P> around(*near_);
      look_around(view, rng, worth, enough, around);
      const float far_enough = std::max(std::min(elapsed() / k_end, k_idle * steal_cost()), enough);
      const auto choice = around.choose(enough, far_enough);
      if (choice.target.node == nullptr) return choice.target;
      if (first == 0) first = choice.worth;
      if (choice.far && choice.worth < far_enough && waited < first) {
        waited += wait(choice.worth); // its owner has done it by then, or the estimate was wrong
        continue;
      }
      if (choice.target.word.phase() != Phase::owned) return choice.target;
      // The search has taken time, and its owner has gone on.
      Target<P> fresh = choice.target;
      fresh.raw = fresh.node->inspect();
      fresh.word = Word::seen(fresh.raw, view.use());
      if (fresh.word.phase() == Phase::owned && 2 * fresh.remaining() > choice.target.remaining()) {
        share_ = choice.share;
        return fresh;
      }
      P::relax();
    }
  }

  /// Only in the home domain if that has enough: the lines of those who are farther away cost most of a
  /// search.
  template <class Worth>
  void look_around(const View<P>& view, Rng& rng, Worth& worth, float enough, Surroundings<P>& around) {
    const std::uint32_t roots = view.shape().roots();
    Domain inner;
    for (std::uint32_t r = 0; r < around.rings(); ++r) {
      const Domain domain = around.domain(r, roots);
      const std::uint32_t left = inner.begin - std::min(domain.begin, inner.begin);
      const std::uint32_t right = domain.end - std::min(inner.end, domain.end);
      const std::uint32_t first_right = std::max(inner.end, domain.begin);
      const std::uint32_t all = r == 0 ? domain.end - domain.begin : left + right;
      const std::uint32_t sampled = r <= around.home()
                                        ? k_sample_near
                                        : std::max(k_sample_far / (around.rings() - 1 - around.home()), 2U);
      const std::uint32_t looked = all <= k_scan_ring || !view.has_board(*settings_) ? all : sampled;
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
        view.leaves(current(view, root), [&](const Target<P>& target) {
          const float value = worth(target);
          if (value <= 0) return false;
          const bool untouched_root = target.level == 0 && target.word.phase() == Phase::available;
          around.saw(r, position, untouched_root ? position : target.node->owner(), target, value);
          return false;
        });
      }
      inner = domain;
      if (r == around.home() && home_will_do(around, enough)) return;
    }
    if (!is_timed()) return;
    team_mean_ = around.mean(around.rings() - 1);
    looked_ = P::ticks();
  }

  /// What this worker's home has is about its part of what the team must have by now, of which every member
  /// has done a tick per tick since this worker looked at the others.
  bool home_will_do(const Surroundings<P>& around, float enough) const noexcept {
    return looked_ != 0 && around.home_most() >= enough &&
           around.mean(around.home()) >= k_as_much * (team_mean_ - static_cast<float>(P::ticks() - looked_));
  }

  /// Durations mean something, and there is a clock.
  bool is_timed() const noexcept { return entered_ != 0 && settings_->batch == BatchMode::timed; }

  /// Ticks since this member entered the loop, as far as that matters.
  float elapsed() const noexcept { return is_timed() ? static_cast<float>(P::ticks() - entered_) : 0; }

  /// Not 0, which a clock of few ticks makes of it, or there would be no wait.
  float steal_cost() const noexcept {
    return static_cast<float>(std::max<std::uint64_t>(settings_->steal_cost, 1));
  }

  /// Until half of `worth` is done by somebody else, but not so short that looking again would disturb them.
  float wait(float worth) const noexcept {
    const float ticks = std::clamp(worth / 2, 2 * steal_cost(), 10 * steal_cost());
    const std::uint64_t since = P::ticks();
    while (static_cast<float>(P::ticks() - since) < ticks) P::relax();
    return ticks;
  }

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

  /// From `low` to `high`: positions if `Near`, else roots.
  template <bool Near, class TryClaim>
  bool traverse_roots(const View<P>& view, std::uint32_t low, std::uint32_t high, std::uint32_t level,
                      Rng& rng, TryClaim& claim) const {
    if (high - low == 1) {
      if constexpr (!Near) return traverse_nodes(view, view.root(low), level, rng, claim);
      const std::uint32_t root = near_->root(low);
      return root < view.shape().roots() && traverse_nodes(view, current(view, root), level, rng, claim);
    }
    const std::uint32_t middle = low + (high - low + 1) / 2;
    if (searches_left_first(level, rng))
      return traverse_roots<Near>(view, low, middle, level + 1, rng, claim) ||
             traverse_roots<Near>(view, middle, high, level + 1, rng, claim);
    return traverse_roots<Near>(view, middle, high, level + 1, rng, claim) ||
           traverse_roots<Near>(view, low, middle, level + 1, rng, claim);
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
  const Neighbourhood* near_ = nullptr; // nullptr: distance does not matter
  std::uint64_t entered_ = 0;
  std::uint64_t looked_ = 0; // at members of all distances, at `team_mean_`; 0: not in this loop
  float team_mean_ = 0;      // ticks of work that each member had left then
  std::uint32_t index_ = 0;
  std::uint32_t levels_ = 1;
  std::uint32_t share_ = 4;
};

} // namespace wstree::core
