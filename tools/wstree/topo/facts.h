// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts that `wstree topo` shows, in whatever form.
#pragma once

#include "commands.h"
#include "support/environment.h"

#include "layout.h"
#include "machine.h"
#include "options.h"
#include "places.h"
#include "policy.h"
#include "process_limits.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wstree::cli {

using Numbers = std::vector<std::uint32_t>;

/// Returns a list such as "0-3,8", as taskset writes it. The numbers stand in rising order.
std::string to_list(const Numbers& numbers);
/// Returns "2 cores" or "1 core".
std::string counted(std::size_t count, std::string_view noun);

/// Returns the levels of a machine from the inside outwards, the machine itself at the end. The order differs
/// between machines: a NUMA node may be part of a package or of an L3 cache's domain, or the other way round.
std::vector<place::Level> nesting(const place::Machine& machine);

/// Members that are equally far from a thief.
struct VictimGroup {
  place::Level shared = place::Level::machine; ///< the nearest thing that the thief shares with them
  Numbers members; ///< in rising order; which one it looks at first is its strategy's choice
};

/// Members that share something, together: a line of a table that would have too many.
struct MemberGroup {
  Numbers members; ///< in the order of the machine
};

/// A machine and a team on it.
struct Topo {
  Environment environment; ///< the source of the limits, which may point into it
  std::string source;      ///< "this machine", "synthetic machine", ...
  std::unique_ptr<const place::Machine> machine;
  std::vector<place::Level> levels;    ///< levels of the machine, from the inside outwards; see nesting()
  std::optional<place::Limits> limits; ///< only of this machine
  config::Bind bind = config::Bind::auto_;
  place::Decision decision;
  std::string reason; ///< reason for the decision
  std::uint32_t members = 1;
  std::unique_ptr<const place::Places> places; ///< nullptr: no thread is pinned
  std::unique_ptr<const place::Layout> layout; ///< nullptr as well

  [[nodiscard]] bool pins() const { return layout != nullptr; }
  /// Returns "threads are pinned (auto: 2 members on 2 cores)", in the words of the library.
  [[nodiscard]] std::string verdict() const;
  /// Returns "2 packages, 4 NUMA nodes, ..., 32 PUs": only levels that the machine has.
  [[nodiscard]] std::string summary() const;

  /// Returns the system's numbers of the CPUs in the place of a member. Like the rest, for pinned teams only.
  [[nodiscard]] Numbers cpus(std::uint32_t member) const;
  /// Returns the numbers of the domains of `level` that its place is in or, if it is a wide one, covers.
  [[nodiscard]] Numbers domains(std::uint32_t member, place::Level level) const;
  /// Returns the distance of a level from the inside of the machine.
  [[nodiscard]] std::size_t rank(place::Level level) const;
  /// Returns the innermost level that holds the places of both.
  [[nodiscard]] place::Level shared(std::uint32_t one, std::uint32_t other) const;
  /// Returns the other members in groups, nearest first. One group if no thread is pinned.
  [[nodiscard]] std::vector<VictimGroup> victims(std::uint32_t member) const;
  /// Returns the finest level that divides the team into at most `limit` groups, in the order of the machine.
  [[nodiscard]] std::vector<MemberGroup> groups(std::size_t limit) const;
  /// Places that no member has.
  [[nodiscard]] Numbers unused_places() const;
};

/// Returns the obstacle, as one line for the user; nothing if all is well.
std::optional<std::string> find_topo(const TopoRequest& request, Topo& topo);

/// Whose order of victims is wanted.
struct Thief {
  bool all = false;
  std::uint32_t member = 0;
};

std::string topo_text(const Topo& topo, const std::optional<Thief>& thief);
std::string topo_json(const Topo& topo);
std::string topo_svg(const Topo& topo, const Thief& thief);

} // namespace wstree::cli
