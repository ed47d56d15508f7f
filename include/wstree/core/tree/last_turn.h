// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a member takes its turn at iteration n-1, which is not in the tree.
#pragma once

#include "wstree/core/scheduler.h"
#include "wstree/core/tree/holding.h"
#include "wstree/core/tree/last_iteration.h"
#include "wstree/core/tree/tree.h"

#include <algorithm>
#include <cstdint>

namespace wstree::core {

/// Compilers copy lastprivate variables out of the private copy of the thread that was told "last", after the
/// loop: that thread must not get another chunk. So Tree::last hands iteration n-1 out to one member, which
/// then retires from the loop: normally to the first that finds nothing else, and earlier if the iteration
/// looks so expensive that starting it now ends the loop sooner (last_iteration.h). Private to its member.
template <class P> class LastTurn {
public:
  void enter(const Shape& shape, const Entry& entry) noexcept {
    iteration_.enter(shape, entry.members, *entry.settings);
    settings_ = entry.settings;
    loop_ = entry.loop;
    members_ = entry.members;
  }

  /// True: the iteration is the caller's, which retires.
  bool claim(const View<P>& view) const noexcept { return view.tree().last.claim(loop_); }
  bool is_taken(const View<P>& view) const noexcept { return view.tree().last.is_taken(loop_); }

  /// Not worth a dispatch of its own, let alone another member's attention.
  bool is_short(float cost) const noexcept {
    return cost > 0 && cost < static_cast<float>(settings_->tail_batch);
  }
  /// Nothing is left for anybody but this iteration.
  bool is_all(const View<P>& view, Rng& rng) const noexcept {
    return view.has_board(*settings_) ? view.is_empty_by_board(rng) : view.is_empty();
  }

  /// A batch of `units` units of the node took `cost` ticks per unit. Returns what others should believe that
  /// its rest will take per unit.
  float learn(const Holding<P>& held, std::uint32_t units, float cost) noexcept {
    if (!iteration_.is_of_interest()) return cost;
    iteration_.learn(held.first(), units, cost);
    return may_matter(cost) ? iteration_.of_rest(held.first(), held.past()) : cost;
  }

  /// Whether iteration n-1 may have to start early at all, where iterations take `cost` ticks.
  bool may_matter(float cost) const noexcept { return iteration_.may_matter(cost); }

  /// Whether to start it before the next batch of the own node (none: before more work is looked for).
  bool should_start(const View<P>& view, const Holding<P>& held, float cost) const noexcept {
    return may_matter(cost) && is_time_to_ask(view, held, cost) && is_critical(view, held, cost);
  }
  /// A thief asks in a large team if it is about to take the end of the loop.
  bool concerns(const View<P>& view, const Target<P>& target) const noexcept {
    return members_ <= k_small_team || target.begin + target.size == view.shape().units();
  }

private:
  /// Whoever asks looks at the nodes of many members. In a large team, and where iterations are short, that
  /// costs more than it brings as long as there is much to do, and one member is enough: the one that has the
  /// end of the loop.
  bool is_time_to_ask(const View<P>& view, const Holding<P>& held, float cost) const noexcept {
    return held.is_empty() || (members_ <= k_small_team && cost > price_of_asking()) ||
           (held.remaining() <= k_near_the_end && has_end(view, held));
  }

  /// Ticks of a batch for which a look at all members is a few percent.
  float price_of_asking() const noexcept {
    return static_cast<float>(2 * settings_->steal_cost) * static_cast<float>(members_);
  }

  [[gnu::noinline]] bool is_critical(const View<P>& view, const Holding<P>& held, float cost) const noexcept {
    float others = 0;
    float neighbour = 0; // cost near the end of the loop
    const auto see = [&](const Target<P>& target) {
      // Whoever starts the last iteration for nothing leaves the rest to the others. So what this member has
      // seen counts too.
      const float each = target.cost_or(cost);
      others += static_cast<float>(target.remaining()) * std::max(each, cost / 2);
      if (target.begin + target.size == view.shape().units()) neighbour = each;
      return false;
    };
    if (view.has_board(*settings_)) {
      const std::uint32_t looked = std::min(k_sample, view.shape().roots());
      view.sample(looked, see);
      others *= static_cast<float>(view.shape().roots()) / static_cast<float>(looked);
    } else {
      view.any_leaf(see);
    }
    const float last = has_end(view, held) ? iteration_.estimate(view.shape().units()) : neighbour;
    const float step = held.is_empty() ? cost : iteration_.estimate(held.first());
    return iteration_.is_critical(members_, others, last, step);
  }

  static bool has_end(const View<P>& view, const Holding<P>& held) noexcept {
    return !held.is_empty() && held.begin() + held.size() == view.shape().units();
  }

  static constexpr std::uint32_t k_small_team = 16;
  static constexpr std::uint32_t k_near_the_end = 4; // units
  static constexpr std::uint32_t k_sample = 16;      // roots

  LastIteration iteration_;
  const Settings* settings_ = nullptr;
  std::uint64_t loop_ = 0;
  std::uint32_t members_ = 1;
};

} // namespace wstree::core
