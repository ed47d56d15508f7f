// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The beginning of a call, which its caller executes alone: most calls are over before a team would have met.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/parallel/call.h"
#include "wstree/parallel/site.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace wstree {
inline namespace v1 {
namespace detail {

using Clock = core::StdPlatform;

/// Pauses in a loop that waits for another member. Gives the processor away now and then, because there may
/// be more members than processors.
template <class P = Clock> void pause(unsigned spins) noexcept {
  spins % 1024 == 0 ? P::yield() : P::relax();
}

/// Ends a call by an exception; true where there are none.
inline bool throw_cancelled() {
#if defined(__cpp_exceptions)
  throw cancelled();
#else
  return true;
#endif
}

/// The caller's first part: the elements done, and the cost of an element so far.
struct Start {
  std::size_t done;
  double ticks_per_element;

  /// Returns the elements that take `us` microseconds; at least one.
  std::size_t elements_in(double us) const noexcept {
    const double elements = us * Clock::ticks_per_us() / ticks_per_element;
    return elements < 1 ? 1 : elements < 1e15 ? static_cast<std::size_t>(elements) : std::size_t{1} << 50;
  }
};

/// The rest of a caller that runs alone: it goes on in this way, or does it as a team would.
enum class Alone { goes_on, like_a_team };

/// The need of looks at the clock: a call of a kind that was brief may leave them out, unless the caller
/// itself has found that it is brief.
enum class Looks { may_be_left_out, are_needed };

/// std::min without <algorithm>.
template <class... More> constexpr std::size_t least(std::size_t a, More... more) noexcept {
  ((a = more < a ? more : a), ...);
  return a;
}

/// The most numbers in memory that the caller compares or copies at once, without functions of the program: a
/// team would meet later.
inline constexpr std::size_t k_plain_at_once = 16 * 1024;

/// Calls piece(begin, end), which advances the policy's counter, for [0, n) in ascending pieces until the
/// rest would take `worth_us` at the rate of the latest piece. piece() returns false if it needs no more
/// elements. The clock is not read for the first `unclocked` elements, because that takes as long as twenty
/// cheap ones, and some algorithms always have cheap elements. Calls of a kind that was brief need no clock.
template <class Policy, class Piece>
Start start_inline(const Policy& policy, std::size_t n, double worth_us, Piece&& piece,
                   Alone alone_is = Alone::goes_on, std::size_t unclocked = 2,
                   Looks looks = Looks::may_be_left_out) {
  constexpr std::size_t k_growth = 8, k_few = 4096;
  if (n != 0 && policy.stop_requested() && throw_cancelled()) return {n, 1};
  if (n <= unclocked) {
    piece(std::size_t{0}, n);
    return {n, 1};
  }
  Site& site = t_sites.at(site_key<std::remove_cvref_t<Piece>>(policy.where()));
  if (looks == Looks::may_be_left_out && policy.is_plain() && site.is_brief(n)) {
    piece(std::size_t{0}, n);
    return {n, 1};
  }
  const std::uint64_t since = Clock::ticks();
  std::uint64_t before = since;
  bool alone = false;
  // One call of piece() in the text, because compilers inline each.
  for (std::size_t begin = 0, size = unclocked;;) {
    const std::size_t end = n - begin <= size ? n : begin + size;
    if (!piece(begin, end) || end == n) {
      const std::uint64_t ticks = core::elapsed(since, Clock::ticks());
      site.was_alone(end, ticks, static_cast<float>(ticks) / static_cast<float>(end));
      return {n, 1};
    }
    if (begin == 0) {
      alone = alone_is == Alone::goes_on && most_members(policy) == 1;
      begin = end, before = Clock::ticks();
      continue;
    }
    const std::uint64_t now = Clock::ticks();
    const double ticks = now > before ? static_cast<double>(now - before) : 1;
    std::size_t longest = size * k_growth;
    // Batches of fewer ticks are below all bounds of this block.
    if (ticks * k_growth > 2 * Clock::ticks_per_us()) {
      const Start start{end, ticks / static_cast<double>(size)};
      const bool pays =
          static_cast<double>(n - end) * start.ticks_per_element >= worth_us * Clock::ticks_per_us();
      if (!alone && ticks * 2 >= Clock::ticks_per_us() && pays) {
        site.was_long(n, static_cast<float>(start.ticks_per_element));
        return start;
      }
      // The shorter the pieces, the sooner a rise of costs is seen.
      longest = least(longest, start.elements_in(alone ? 64 : pays ? 2 : worth_us / 2));
    }
    if (policy.stop_requested() && throw_cancelled()) return {n, 1};
    begin = end, before = now;
    // No other member can have elements of a piece, and behind cheap ones may be expensive ones.
    size = least(longest, n / 4 + 8, n / 64 + k_few);
  }
}

} // namespace detail
} // namespace v1
} // namespace wstree
