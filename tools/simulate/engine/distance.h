// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The distance that work has travelled, seen from the pieces that members were handed.
#pragma once

#include "machine.h"
#include "virtual_time.h"

#include "wstree/core/shape.h"

#include <array>
#include <cstdint>
#include <iterator>
#include <map>

namespace wstree::simulate {

/// Moved work for each distance (VirtualMachine) between giver and taker. Work is far if the distance is not
/// 0, as the smallest domains are NUMA nodes.
struct Travel {
  using Levels = std::array<std::uint64_t, VirtualMachine::k_levels>;
  Levels steals{}; ///< ranges that a member took from another member
  Levels
      work{}; ///< time of the iterations, from their member in schedule(static) to the member that ran them

  std::uint64_t far_steals() const { return beyond(steals); }
  std::uint64_t far_work() const { return beyond(work); }

private:
  static std::uint64_t beyond(const Levels& levels) {
    std::uint64_t sum = 0;
    for (std::size_t level = 1; level < levels.size(); ++level) sum += levels[level];
    return sum;
  }
};

/// Reconstructs one execution of a loop. Every range has a holder, at first the member that schedule(static)
/// gives it to. A piece out of a range that another member holds has been stolen, and everything behind it
/// with it: all schedules that steal take the end of their victim's range.
class Distance {
public:
  Distance(const VirtualMachine& machine, std::uint64_t iterations)
      : machine_(machine), iterations_(iterations) {
    const core::Shape shape(iterations, machine.members);
    for (std::uint32_t m = 0; m < machine.members; ++m) {
      const std::uint64_t begin = shape.root_begin(m) << shape.shift();
      if (begin < iterations) {
        home_.insert_or_assign(begin, m);
      }
    }
    holder_ = home_;
  }

  void handed(std::uint32_t member, const core::Range& piece, Time cost) {
    travel_.work[machine_.distance(at(home_, piece.begin)->second, member)] += cost;
    if (piece.begin + 1 == iterations_) return; // iteration n-1 belongs to no member
    const auto range = at(holder_, piece.begin);
    if (range->second == member) return;
    ++travel_.steals[machine_.distance(range->second, member)];
    holder_.insert_or_assign(range, piece.begin, member);
  }

  const Travel& travel() const { return travel_; }

private:
  using Members = std::map<std::uint64_t, std::uint32_t>; // first iteration of a range and its member
  static Members::iterator at(Members& members, std::uint64_t iteration) {
    return std::prev(members.upper_bound(iteration));
  }

  VirtualMachine machine_;
  std::uint64_t iterations_;
  Members home_;
  Members holder_;
  Travel travel_;
};

} // namespace wstree::simulate
