// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Relative speed of the cores that a team runs on, as each member measures it.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/platform.h"
#include "wstree/core/prior.h"
#include "wstree/core/scheduler.h"
#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"

#include <cstdint>
#include <utility>

namespace wstree::core {

/// Compares core speeds: each member times a few hundred fixed instructions (Platform::probe()) before a loop
/// that is worth it, and writes their ticks down for the others. The times of iterations do not show the
/// speed: a member that has the expensive end of a loop looks slow. Probes agree to a few per cent; a single
/// slow probe counts nothing, because the thread may have been interrupted. Private to its member, but for
/// `taken`, of which every member has one element. Zeroed memory is a valid state.
template <class P> class PaceKeeper {
public:
  using Ticks = typename P::template Atomic<std::uint32_t>;

  /// The member enters execution `loop` of a loop of `iterations`, at a code location of which it knows
  /// `prior`. If its own share is brief, other shares may be long, so it looks at the clock now and then.
  /// Returns how fast the member is; nullptr: as fast as any, or not known. Valid until the next call.
  [[gnu::always_inline]] Pace* enter(const Prior& prior, std::uint64_t iterations, std::uint64_t loop,
                                     std::uint32_t index, std::uint32_t members, const Settings& settings,
                                     Ticks* taken) noexcept {
    if constexpr (requires { P::probe(); })
      if (loop % tuning::k_loops_unprobed == 0 || prior.is_long(iterations, members, settings)) [[unlikely]]
        look(index, members, taken);
    return is_slow_ ? &pace_ : nullptr;
  }

private:
  [[gnu::noinline]] void look(std::uint32_t index, std::uint32_t members, Ticks* taken) noexcept {
    const std::uint64_t now = P::ticks();
    if (looked_ != 0 && elapsed(looked_, now) < P::ticks_per_ms() / tuning::k_probes_per_ms) return;
    looked_ = now;
    if (before_ == 0) before_ = P::probe();
    const std::uint32_t latest = P::probe();
    const std::uint32_t mine = std::min(latest, std::exchange(before_, latest));
    // [N7] relaxed: an estimate that nothing else depends on. Others have read the line: it is written only
    //      when that matters.
    const std::uint32_t written = taken[index].load(P::order(Tag::publish_cost, std::memory_order_relaxed));
    if (!is_alike(mine, written))
      taken[index].store(mine, P::order(Tag::publish_cost, std::memory_order_relaxed));
    std::uint32_t fastest = mine;
    for (std::uint32_t m = 0; m < members; ++m)
      if (const std::uint32_t ticks =
              taken[m].load(P::order(Tag::publish_cost, std::memory_order_relaxed))) // N7
        fastest = std::min(fastest, ticks);
    is_slow_ = is_slower(mine, fastest);
    if (!is_slow_) return;
    pace_.faster = 1; // never 0, whatever the others publish meanwhile
    for (std::uint32_t m = 0; m < members; ++m)
      if (const std::uint32_t ticks =
              taken[m].load(P::order(Tag::publish_cost, std::memory_order_relaxed)); // N7
          ticks != 0 && is_slower(mine, ticks))
        pace_.faster += (std::uint64_t{fastest} << k_cost_bits) / ticks;
    pace_.ticks = mine;
    pace_.fastest = fastest;
  }
  static bool is_slower(std::uint32_t ticks, std::uint32_t than) noexcept {
    return than < tuning::k_as_fast * std::uint64_t{ticks};
  }
  static bool is_alike(std::uint32_t a, std::uint32_t b) noexcept {
    const std::uint32_t difference = a < b ? b - a : a - b;
    return difference <= a / tuning::k_alike_probes;
  }

  std::uint64_t looked_ = 0; // when; 0: never
  std::uint32_t before_ = 0; // ticks of the probe before the latest one
  bool is_slow_ = false;
  Pace pace_; // if it is
};

} // namespace wstree::core
