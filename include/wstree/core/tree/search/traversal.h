// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The paper's search: nodes in the order of a strategy (section 4 and appendix A.2).
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/neighbourhood.h"
#include "wstree/core/rng.h"
#include "wstree/core/tree/order.h"
#include "wstree/core/tree/owner.h"
#include "wstree/core/tree/search/surroundings.h"
#include "wstree/core/tree/tree.h"

#include <bit>
#include <cstdint>

namespace wstree::core {

/// Visits nodes that are not EXPANDED and have units left. For strategies other than find_max. One member's,
/// for one search.
template <class P> class Traversal {
public:
  /// `near` may be null: all members are equally far from each other.
  Traversal(const View<P>& view, const Order& order, const Neighbourhood* near, Rng& rng) noexcept
      : view_(view), order_(order), near_(near), rng_(rng) {}

  /// Visits nodes in the order of the strategy, until `claim(Target)` returns `taken`: first in the nearest
  /// domain, then in the one around it, and so on. Returns false if nothing is left that could be claimed.
  template <class TryClaim> bool any(TryClaim&& claim) {
    const std::uint32_t roots = view_.shape().roots();
    if (near_ != nullptr) {
      const Surroundings<P> around(*near_);
      for (std::uint32_t r = 0; r + 1 < around.rings(); ++r) {
        const Domain domain = around.domain(r, roots);
        if (domain.begin == domain.end) continue;
        // Levels as if the traversal had come from the top.
        const auto below = static_cast<std::uint32_t>(std::bit_width(domain.end - domain.begin - 1));
        const std::uint32_t level = order_.levels() - std::min(below, order_.levels());
        if (roots_between<true>(domain.begin, domain.end, level, claim)) return true;
      }
    }
    return roots_between<false>(0, roots, 0, claim);
  }

private:
  /// From `low` to `high`: positions if `Near`, else roots.
  template <bool Near, class TryClaim>
  bool roots_between(std::uint32_t low, std::uint32_t high, std::uint32_t level, TryClaim& claim) {
    if (high - low == 1) {
      if constexpr (!Near) return below(view_.root(low), level, claim);
      const std::uint32_t root = near_->root(low);
      return root < view_.shape().roots() && below(view_.current(root), level, claim);
    }
    const std::uint32_t middle = low + (high - low + 1) / 2;
    if (order_.searches_left_first(level, rng_))
      return roots_between<Near>(low, middle, level + 1, claim) ||
             roots_between<Near>(middle, high, level + 1, claim);
    return roots_between<Near>(middle, high, level + 1, claim) ||
           roots_between<Near>(low, middle, level + 1, claim);
  }

  template <class TryClaim> bool below(Target<P> target, std::uint32_t level, TryClaim& claim) {
    while (true) {
      if (target.word.phase() == Phase::stolen) {
        if (auto pair = target.node->children(view_.use())) {
          const bool left_first = order_.searches_left_first(level, rng_);
          if (below(view_.inner(left_first ? pair : pair + 1), level + 1, claim)) return true;
          return below(view_.inner(left_first ? pair + 1 : pair), level + 1, claim);
        }
      } else if (target.remaining() == 0) {
        return false;
      }
      const Claim outcome = claim(target);
      if (outcome != Claim::lost_race) return outcome == Claim::taken;
      target.look_again(view_.use()); // the node may have become EXPANDED
    }
  }

  const View<P>& view_;
  const Order& order_;
  const Neighbourhood* near_;
  Rng& rng_;
};

} // namespace wstree::core
