// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data that the opener of a region of GCC's interface hands to the members. As in kmpc/regions.cpp, we
// tell the runtime to run a wrapper instead of the program's outlined function.
#pragma once

#include "gomp/loops.h"
#include "region_placement.h"
#include "repeated_regions.h"

#include <cstdint>
#include <optional>

namespace wstree::abi::gomp {

using config::LoopKind;
using Outlined = void (*)(void*);

struct CombinedLoop {
  LoopKind kind;
  wstree::loop::HalfOpenLoop bounds;
  Units units;
  ServedAs as;
};

/// On the stack of the thread that forks, and outlives the region. Aligned, because every member fetches it
/// from there.
struct alignas(wstree::core::k_line_pair) Region {
  // A constructor, because a list of initialisers also fills all padding with zeros.
  Region(void* of_tasks, Outlined outlined, void* shared, const void* opener) noexcept
      : reductions(of_tasks), function(outlined), data(shared), caller(opener) {}

  void* reductions; // libgomp takes it from the first word of the argument of GOMP_parallel_reductions
  Outlined function;
  void* data;
  const void* caller;
  KeptTeam* team = nullptr;
  const Terms* terms = nullptr;
  std::uint64_t base = 0;             // number of the first loop
  std::optional<CombinedLoop> loop{}; // the loop of a combined region, if we serve it
  RepeatedRegion* repeated = nullptr; // a region whose function members call for each piece of its loop
};

/// Returns the number of threads for a region. One thread means that the program does not want a team.
inline unsigned ruled_threads(unsigned asked, config::Ruling ruling) noexcept {
  return asked == 1 || ruling.threads() == 0 ? asked : static_cast<unsigned>(ruling.threads());
}

/// Returns the schedule that the runtime uses if it has to serve the loop.
Fallback own_schedule(const CombinedLoop& loop) noexcept;

/// Every member runs this instead of the outlined function. `data`: the Region.
void wrap_member(void* data);

/// A region of which a tool hears.
struct ToldFork {
  void* reductions; // as in Region
  Region* region;
  ompt::Construct construct; // kind of a combined region
  ompt::ToldRegion told;
};
/// As wrap_member(). `data`: the ToldFork.
void wrap_told_member(void* data);

/// Forks through `fork(wrapper, region)`.
template <class Fork> auto fork_region(Region& region, Fork&& fork) {
  const ServedRegion served(region.caller, Interface::gomp, TaskSchedule{});
  region.team = served.team();
  region.terms = &served.terms();
  region.base = served.base();
  return fork(wrap_member, static_cast<void*>(&region));
}

/// Forks a region that asks for `threads` threads (0: no number), and of which a tool hears. `construct`: the
/// kind of a combined region.
template <class Fork>
[[gnu::noinline]] auto fork_told(Region& region, unsigned threads, ompt::Construct construct, Fork fork) {
  ToldFork told{region.reductions,
                &region,
                construct,
                {code_behind(region.caller), threads, __builtin_frame_address(0)}};
  return fork_region(region,
                     [&](Outlined, void*) { return fork(wrap_told_member, static_cast<void*>(&told)); });
}
template <bool told, class Fork>
auto fork_as(Region& region, unsigned threads, ompt::Construct construct, Fork fork) {
  if constexpr (told)
    return fork_told(region, threads, construct, fork);
  else
    return fork_region(region, fork);
}
/// Forks by fork_told() or fork_region(). `fork` holds values and no references: an exported function that
/// this is part of could not jump to the runtime otherwise.
template <class Fork> auto fork_perhaps_told(Region& region, unsigned threads, Fork fork) {
  if (ompt::tool_listens(region.caller)) [[unlikely]]
    return fork_told(region, threads, {}, fork);
  return fork_region(region, fork);
}

} // namespace wstree::abi::gomp
