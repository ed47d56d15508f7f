// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of a loop of which each member has the first ones of its share to itself.
#pragma once

#include "wstree/core/shape.h"

#include <algorithm>
#include <cstdint>

namespace wstree::loop {

/// The items 0..n-1 of a loop. Each of `members` has the first `own` items of its equal part to itself, so
/// that every member does some of the loop's work, as in a static loop. The members share the units
/// 0..shared()-1, which are all other items in ascending order.
class OwnFirst {
public:
  /// No equal part has fewer than `own` items.
  constexpr OwnFirst(std::uint64_t items, std::uint32_t members, std::uint64_t own) noexcept
      : items_(items), own_(own), size_(core::quotient_of(items, members)), larger_(items - size_ * members),
        members_(members) {}

  constexpr std::uint64_t items() const noexcept { return items_; }
  constexpr std::uint64_t shared() const noexcept { return items_ - members_ * own_; }
  constexpr core::Range own(std::uint64_t member) const noexcept {
    return {begin(member), begin(member) + own_};
  }

  /// Takes units from the left end of `units`, which has some. Returns their items, which are neighbours.
  constexpr core::Range take(core::Range& units) const noexcept {
    const std::uint64_t member = share_of(units.begin);
    const std::uint64_t before = own_ * (member + 1);
    const std::uint64_t end = std::min(units.end + before, begin(member + 1));
    const core::Range items{units.begin + before, end};
    units.begin = end - before;
    return items;
  }

private:
  /// Returns the first item of the part of `member`.
  constexpr std::uint64_t begin(std::uint64_t member) const noexcept {
    return size_ * member + std::min(larger_, member);
  }
  constexpr std::uint64_t share_of(std::uint64_t unit) const noexcept {
    const std::uint64_t size = size_ - own_; // and one more in the first parts
    std::uint64_t member = size != 0 ? unit / size : unit;
    if (member >= members_) member = members_ - 1;
    while (begin(member) - own_ * member > unit) --member;
    return member;
  }

  std::uint64_t items_;
  std::uint64_t own_;
  std::uint64_t size_;   // items in a smaller part
  std::uint64_t larger_; // number of parts that have one item more
  std::uint32_t members_;
};

} // namespace wstree::loop
