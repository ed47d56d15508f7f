// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes tiles in ascending order on a team, until the first event in the order of elements ends the call.
#pragma once

#include "wstree/parallel/call.h"
#include "wstree/parallel/tiling.h"
#include "wstree/parallel/verdict.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

#if defined(__cpp_exceptions)
#define WSTREE_TRY try
#define WSTREE_CATCH_ALL catch (...)
#else
#define WSTREE_TRY if constexpr (true)
#define WSTREE_CATCH_ALL else
#endif

namespace wstree {
inline namespace v1 {
namespace detail {

/// Hands out the numbers of tiles, ascending.
template <class P> class BasicTickets {
public:
  std::size_t take() noexcept {
    // [P1] relaxed: the number alone says what to do; all else was written before the region began. Guard:
    //      model_parallel scan_2x3 (a load and a store give two members one tile).
    return next_.fetch_add(1, P::order(core::Tag::take_tile, std::memory_order_relaxed));
  }

private:
  typename P::template Atomic<std::size_t> next_{0};
};

/// One member calls `body` with one tile after another, and then body.finish() until that returns false, in
/// any case. body.current() is the tile that an exception of theirs belongs to. `watch(n, run)` calls run()
/// for a tile of n elements.
template <class P, class Policy, class Body, class Watch>
void execute_tiles(BasicTickets<P>& tickets, const Policy& policy, const Tiling& tiling,
                   BasicVerdict<P>& verdict, Body& body, Watch&& watch) {
  const auto guarded = [&](auto&& step) {
    WSTREE_TRY { return step(); }
    WSTREE_CATCH_ALL { verdict.fail(body.current()); }
    return false;
  };
  while (guarded([&] {
    const std::size_t tile = tickets.take();
    if (tile >= tiling.tiles() || verdict.is_beyond(tile)) return false;
    if (policy.stop_requested()) {
      verdict.cancel();
      return false;
    }
    const auto at = tiling[tile];
    return watch(at.end - at.begin, [&] {
      body(at);
      return true;
    });
  })) {
  }
  while (guarded([&] { return body.finish(); })) {
  }
}

/// Returns how many members work in a call whose members wait for each other: no more than there are
/// processors, because all wait while the member whose turn it is has none; all members where elements take
/// as long as a thread that sleeps.
inline std::uint32_t members_in_turn(const Start& start, std::size_t unit = 1) noexcept {
  constexpr double k_asleep_us = 20;
  const double us = start.ticks_per_element / static_cast<double>(unit) / Clock::ticks_per_us();
  return us < k_asleep_us ? processors() : k_all_members;
}

/// Lets each member of a team, but no more than `most`, make a body and execute tiles with it.
template <class Policy, class Make>
void run_tiles(const Policy& policy, const Tiling& tiling, Verdict& verdict, std::uint32_t most, Make make) {
  BasicTickets<core::StdPlatform> tickets;
  Observed call(policy, tiling.elements());
  std::atomic<std::uint32_t> at_work{0};
  const auto work = [&](unsigned member, unsigned members) {
    // relaxed: it counts members.
    if (at_work.fetch_add(1, std::memory_order_relaxed) >= most) return;
    ObservedTiles observed(call, member, members);
    auto body = make();
    execute_tiles(tickets, policy, tiling, verdict, body,
                  [&](std::size_t elements, auto&& tile) { return observed.run(elements, tile); });
  };
  on_team(policy, call, work, most);
}

} // namespace detail
} // namespace v1
} // namespace wstree
