// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pacing where a batch has an upper bound, and may come from the right end.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/pacing.h"

#include <cstdint>

namespace wstree::core {

/// Besides, elements that rise in cost are taken from the right end of a node if they are few and long:
/// expensive elements should not come last. Private to its member.
template <class P> class BoundedPacing : public Pacing<P> {
public:
  /// `most` in iterations.
  void enter(const Shape& shape, const Entry& entry, std::uint64_t most) noexcept {
    Pacing<P>::enter(shape, entry);
    most_ = static_cast<std::uint32_t>(clamp<std::uint64_t>(most >> shape.shift(), 1, k_max_share));
  }
  [[gnu::always_inline]] std::uint32_t size(std::uint32_t remaining) noexcept {
    are_few_ = remaining <= tuning::k_few_dear_units;
    return std::min(Pacing<P>::size(remaining), most_);
  }
  /// Returns whether the batch of the latest size() comes from the left end of the node.
  [[gnu::always_inline]] bool takes_left_end(Rng& rng) const noexcept {
    return !(are_few_ && rises_ && is_long()) && Pacing<P>::takes_left_end(rng);
  }

  /// A batch that begins at unit `position` took `cost` ticks per unit.
  void learn(std::uint64_t position, float cost) noexcept {
    const bool is_alike = cost < cost_ * tuning::k_dearer && cost_ < cost * tuning::k_dearer;
    if (!is_alike && cost_ > 0) rises_ = (position > position_) == (cost > cost_);
    position_ = position;
    cost_ = cost;
  }

private:
  bool is_long() const noexcept {
    const Settings& settings = Pacing<P>::settings();
    return Pacing<P>::is_timed() && cost_ > static_cast<float>(settings.shortest_target);
  }

  std::uint32_t most_ = k_max_share;
  float cost_ = 0;             // ticks per unit of the latest batch that was clocked, which begins
  std::uint64_t position_ = 0; // here
  bool rises_ = false;
  bool are_few_ = false;
};

} // namespace wstree::core
