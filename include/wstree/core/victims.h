// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which a member that steals from members, and not from nodes of a tree, asks its victims.
#pragma once

#include "wstree/core/neighbourhood.h"

#include <cstdint>

namespace wstree::core {

/// Calls `visit(member)` for every other member until it returns true: those of the nearest domain first,
/// then those of the one around it, and so on; in each domain from the member's own position on, so that
/// thieves spread out.
template <class Visit>
bool any_victim(const Neighbourhood* near, std::uint32_t index, std::uint32_t members, Visit&& visit) {
  const bool known = near != nullptr && near->count != 0;
  const std::uint32_t position = known ? near->position : index;
  Domain inner{position, position + 1};
  for (std::uint32_t d = 0; d <= (known ? near->count : 0); ++d) {
    const Domain domain = known && d < near->count ? near->domains[d] : Domain{0, members};
    const std::uint32_t size = domain.end - domain.begin;
    for (std::uint32_t step = 1; step < size; ++step) {
      const std::uint32_t behind = position - domain.begin + step;
      const std::uint32_t at = domain.begin + (behind < size ? behind : behind - size);
      if (at >= inner.begin && at < inner.end) continue;
      const std::uint32_t member = known ? near->root(at) : at;
      if (member < members && member != index && visit(member)) return true;
    }
    inner = domain;
  }
  return false;
}

} // namespace wstree::core
