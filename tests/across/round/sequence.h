// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sequence of regions of one team: a few that are repeated until the numbers of loops have come round, then
// others, and all of that again.
#pragma once

#include "../stress/random.h"

#include "wstree/core/scheduler.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wstree::round {

using core::Model;
using stress::Random;

struct Loop {
  std::uint32_t iterations = 1; ///< may be 0
  Model model = Model::tree;
  std::uint32_t chunk = 1;
  std::uint32_t settings = 0; ///< index
  std::uint32_t cost = 0;     ///< ticks of an iteration
};

struct Region {
  std::uint32_t members = 2;
  std::vector<Loop> loops;
};

/// Which member goes on next, where one thread plays all members.
enum class Turns : std::uint8_t { any, bursts, one_ahead, one_late, one_by_one };
inline constexpr std::uint64_t k_turns = 5;

struct Sequence {
  std::uint64_t seed = 0;
  std::uint32_t ring = 8;
  std::vector<core::Settings> settings{core::Settings{}};
  std::vector<Region> repeated;
  std::vector<Region> last;
  std::uint64_t periods = 0; ///< times that the first ones are repeated; or, if that is 0,
  std::uint64_t uses = 0;    ///< until the slots have been used so often since the lap began
  bool fills = false;        ///< and by regions of one loop exactly so often
  std::uint32_t laps = 3;    ///< of all that
  Turns turns = Turns::any;
  bool leavers = false;    ///< members leave regions early, or never come to a loop
  bool cancels = false;    ///< members leave loops early
  bool neighbours = false; ///< two by two the members are near each other
  bool impatient = false;  ///< members that wait for a slot soon end the ring

  std::string text() const;
  std::uint32_t most_members() const;
  std::uint32_t most_iterations() const;
};

/// `brief`: for members that take long.
Sequence draw(std::uint64_t seed, bool brief = false);
/// One whose rings end, of regions that go on for long behind that.
Sequence draw_with_ends(std::uint64_t seed);
/// One in which the tags of counters, or the links between nodes, come round,
/// which have more bits than words.
Sequence draw_long(std::uint64_t seed, unsigned bits, Model model);
/// All that are a little smaller, the smallest ones first.
std::vector<Sequence> smaller(const Sequence& sequence);

} // namespace wstree::round
