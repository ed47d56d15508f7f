// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one region does, all of it drawn from its seed.
#pragma once

#include "hostile_platform.h"
#include "random.h"

#include "wstree/core/scheduler.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stress {

using wstree::core::Model;
using wstree::core::Settings;

/// How long iterations take.
enum class Cost : std::uint8_t { nothing, even, rising, spike };

struct LoopPlan {
  std::uint64_t iterations = 1; ///< may be 0
  Model model = Model::tree;
  std::uint64_t chunk = 1;
  Settings settings;
  Cost cost = Cost::nothing;
  std::uint32_t location = 0; ///< in the code; loops that come again have the same
  bool cancelled = false;     ///< some members leave it when they like
  bool nests = false;         ///< members open regions in its body

  bool huge() const { return iterations > 1'000'000; }
  std::string text() const;
};

/// A member's plan is drawn from member_seed(m).
struct RegionPlan {
  std::uint64_t seed = 0;
  std::uint64_t region = 0; ///< its code location; 0: nothing is remembered of its loops
  std::uint32_t members = 2;
  std::uint32_t keeper = 0; ///< the member that is there all the time
  bool together = false;    ///< the members meet before the first loop
  bool near = false;        ///< members know, or believe, which others are near
  std::vector<LoopPlan> loops;
  std::vector<std::size_t> leaves_before; ///< loop, by member; loops.size(): stays to the end
  Weather weather;

  std::uint64_t member_seed(std::uint32_t member) const { return round_seed(seed, 1, member); }
  bool poor() const { return weather.refuse_one_in != 0; }
  std::uint32_t leavers(std::size_t loop) const; ///< members that do not take part in it any more
};

/// Sizes of the teams of one round.
struct TeamSizes {
  std::uint32_t least = 2;
  std::uint32_t most = 4;
};

TeamSizes draw_sizes(Random& random, std::uint32_t most_members);
RegionPlan draw_region(std::uint64_t seed, const TeamSizes& sizes, bool may_nest);
/// One whose loops are remembered, mostly the same few in turn.
RegionPlan draw_remembered(std::uint64_t seed, const TeamSizes& sizes, bool may_nest);
/// The same at another time: other interruptions, leavers and cancelled loops, and now and then other costs,
/// another number of members, of loops or of iterations.
RegionPlan draw_again(const RegionPlan& first, std::uint64_t seed);

} // namespace stress
