// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thief's view of the work around it, by distance, and the choice of the distance to go for work.
#pragma once

#include "wstree/core/cost.h"
#include "wstree/core/extrema.h"
#include "wstree/core/neighbourhood.h"
#include "wstree/core/tree/tree.h"
#include "wstree/core/tuning.h"

#include <array>
#include <cstdint>

namespace wstree::core {

/// Ring d holds the members of domain d that are in no smaller one; the last ring is the rest of the team. A
/// few steals of large nodes should bring a domain the work that it lacks, because its members can share
/// that work among themselves afterwards. So a thief goes far as soon as its domain has much less to do than
/// the team has for so many members, while the far nodes are still large, and not only when nothing is left
/// near it.
template <class P> class Surroundings {
public:
  struct Choice {
    Target<P> target;        ///< node is nullptr if there is nothing
    std::uint32_t share = 4; ///< eighths of the node for the thief, if it has to be split
  };

  explicit Surroundings(const Neighbourhood& near) noexcept
      : near_(&near), count_(std::min(near.count, k_most_domains) + 1) {
    while (home_ + 2 < count_ &&
           near.domains[home_ + 1].end - near.domains[home_ + 1].begin <= tuning::k_home)
      ++home_;
  }

  std::uint32_t rings() const noexcept { return count_; }
  /// Returns the last ring of the domain that this member shares its work with: the largest one that is small
  /// enough for its members to find the work that one of them has brought. Members outside of it are far.
  std::uint32_t home() const noexcept { return home_; }
  /// Returns the domain that ends with ring `ring`.
  Domain domain(std::uint32_t ring, std::uint32_t roots) const noexcept {
    if (ring + 1 == count_) return {0, roots};
    const Domain& domain = near_->domains[ring];
    const std::uint32_t end = std::min(domain.end, roots);
    return {std::min(domain.begin, end), end};
  }

  /// `looked` of the `members` members of `ring` are about to be looked at.
  void expect(std::uint32_t ring, std::uint32_t looked, std::uint32_t members) noexcept {
    rings_[ring].looked = looked;
    rings_[ring].members = members;
  }
  /// A node that is worth `value` > 0 was met when looking at the member at `position`, which is in `ring`;
  /// it belongs to the member at `owner`.
  void saw(std::uint32_t ring, std::uint32_t position, std::uint32_t owner, const Target<P>& target,
           std::uint64_t value) noexcept {
    if (owner == position)
      rings_[ring].work += value;
    else
      ring = ring_of(owner);
    if (value <= rings_[ring].most) return;
    rings_[ring].most = value;
    rings_[ring].found = target;
  }

  /// Chooses the node to steal from. Work below `enough` does not count, unless there is none at all near by.
  Choice choose(std::uint64_t enough) const noexcept {
    Choice choice{rings_[0].found};
    std::uint64_t work = 0;
    std::uint64_t members = 0;
    for (std::uint32_t r = 0; r < count_; ++r) {
      work += rings_[r].whole();
      members += rings_[r].members;
    }
    std::uint64_t near_most = rings_[0].most;
    std::uint64_t near_work = rings_[0].whole();
    std::uint64_t near_members = rings_[0].members;
    std::int64_t least = INT64_MAX;
    for (std::uint32_t r = 1; r < count_; ++r) {
      const Ring& ring = rings_[r];
      auto lacks = static_cast<std::int64_t>(
          product(work, near_members) / std::max<std::uint64_t>(members, 1) - near_work);
      // Work beyond the needs of the home domain would have to be fetched from there again.
      if (r > home_) lacks = least = std::min(least, lacks);
      const bool dry = near_most < enough && ring.most > near_most;
      const auto most = static_cast<std::int64_t>(ring.most);
      const bool poor =
          lacks > static_cast<std::int64_t>(tuning::k_worth_it * ring.most) && ring.most > near_most &&
          product(ring.whole(), near_members) > tuning::k_clearly * product(near_work, ring.members);
      if (ring.most > 0 && (ring.most >= enough ? dry || poor : near_most == 0))
        choice = {ring.found, share(8 * lacks / most, ring.found.remaining())};
      near_most = std::max(near_most, ring.most);
      near_work += ring.whole();
      near_members += ring.members;
    }
    return choice;
  }

private:
  static constexpr std::uint32_t k_most_domains = 7; // members outside of these domains count as equally far

  struct Ring {
    std::uint64_t work = 0; // sum over the members that were looked at
    std::uint64_t most = 0;
    std::uint64_t looked = 0;
    std::uint64_t members = 0;
    Target<P> found;
    std::uint64_t whole() const noexcept { return looked == 0 ? 0 : product(work, members) / looked; }
  };

  static std::uint32_t share(std::int64_t eighths, std::uint32_t units) noexcept {
    const std::int64_t most =
        units > tuning::k_few_units ? tuning::k_most_eighths : tuning::k_most_eighths_of_few;
    return static_cast<std::uint32_t>(clamp(eighths, tuning::k_least_eighths, most));
  }

  std::uint32_t ring_of(std::uint32_t position) const noexcept {
    for (std::uint32_t r = 0; r + 1 < count_; ++r)
      if (position >= near_->domains[r].begin && position < near_->domains[r].end) return r;
    return count_ - 1;
  }

  const Neighbourhood* near_;
  std::uint32_t count_;
  std::uint32_t home_ = 0;
  std::array<Ring, k_most_domains + 1> rings_{};
};

} // namespace wstree::core
