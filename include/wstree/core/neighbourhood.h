// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distances between the members of a team, for the search for work.
#pragma once

#include <cstdint>

namespace wstree::core {

/// The members at positions [begin, end) in the order of the machine: they share something (a core, a cache,
/// a memory) that is nearer than anything that they share with the rest of the team.
struct Domain {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool operator==(const Domain&) const = default;
};

/// One member's view. Members that are near each other have near positions; a search walks over the leaves of
/// the pre-split tree in that order, while the iterations of a leaf remain those that schedule(static) gives
/// to its member. A hint: any content is correct, and members of a team may disagree.
struct Neighbourhood {
  const std::uint32_t* member_at = nullptr; ///< position -> member; nullptr: they are the same
  /// The domains around this member, each within the next and different from it, smallest first, all but that
  /// of the member alone and that of the whole team. nullptr: none, all are equally far.
  const Domain* domains = nullptr;
  std::uint32_t count = 0;
  std::uint32_t position = 0; ///< position of this member

  std::uint32_t root(std::uint32_t at) const noexcept { return member_at == nullptr ? at : member_at[at]; }
};

/// True if entries on the platform P can have a neighbourhood.
template <class P> inline constexpr bool k_has_neighbours = true;

} // namespace wstree::core
