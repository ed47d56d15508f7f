// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a call begins: alone, until it has taken so long that a team pays; and what is remembered of its
// call site.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/platform.h"
#include "wstree/core/reduction/body.h"
#include "wstree/core/tuning.h"
#include "wstree/parallel/policy.h"

#include <cstdint>

namespace wstree {
inline namespace v1 {
namespace detail {

template <class Folder> inline constexpr char k_mark_of{};

/// A hash of the call site and of what it executes: a helper that is called with many functions stands at one
/// line of the source. Two call sites hardly ever have the same key; then costs are wrong for a while.
template <class Folder> std::uintptr_t site_key(call_site where) noexcept {
  const auto mark = reinterpret_cast<std::uintptr_t>(&k_mark_of<Folder>);
  return (reinterpret_cast<std::uintptr_t>(where.file) + (mark << 16) + where.line) * 0x9E3779B97F4A7C15U;
}

/// Calls of one kind, as one thread has seen them. It decides only when a team is asked for: what is wrong
/// here costs a microsecond, or a team that was not needed. Zeroed memory: nothing is known.
class Site {
public:
  bool is_of(std::uintptr_t key) const noexcept { return key_ == key; }
  void restart(std::uintptr_t key) noexcept {
    *this = {};
    key_ = key;
  }

  /// Returns whether two calls in a row of so many elements, or fewer, needed a team. From time to time it
  /// returns false, so that a call begins alone and reads the clock again.
  bool needs_team(std::uint64_t n) noexcept {
    return long_calls_ >= k_sure && n >= shortest_ && calls_++ % (core::tuning::k_calls_unclocked + 1) != 0;
  }
  /// The most of n elements that the caller executes without a look at the clock. No other member can have
  /// any of them, and behind cheap elements may be expensive ones: all of them only where that has gone well
  /// in a row of calls that were about as large.
  std::uint64_t longest_step(std::uint64_t n) const noexcept {
    return trust_ == k_calls_to_trust && n / 2 <= longest_ ? n : n / k_looks_alone + 1;
  }
  /// Returns whether all of n elements take so little that reading the clock would be much of it.
  bool takes_little(std::uint64_t n) const noexcept {
    return longest_step(n) == n && cost_ * static_cast<float>(n) < k_brief;
  }
  /// The same, but from time to time it returns false, likewise.
  bool is_brief(std::uint64_t n) noexcept {
    return takes_little(n) && calls_++ % (core::tuning::k_calls_unclocked + 1) != 0;
  }
  /// Elements that should take half of k_alone; at least 1.
  std::uint64_t first_step() const noexcept {
    if (cost_ <= 0) return 1;
    constexpr auto half = static_cast<float>(core::tuning::k_alone / 2);
    return static_cast<std::uint64_t>(std::min(half / cost_, k_most)) + 1;
  }
  /// Ticks per element, for members that know nothing else.
  float cost() const noexcept { return cost_; }

  /// The caller alone has executed all n elements, each in `cost` ticks. If that took too long, be it for an
  /// interruption or for what they cost, the caller has to look again.
  void was_alone(std::uint64_t n, std::uint64_t ticks, float cost) noexcept {
    cost_ = std::max(cost, k_least_cost);
    if (ticks >= core::tuning::k_most_alone) {
      trust_ = std::min(trust_, ticks > k_surprise_alone ? k_trust_after_surprise : std::int16_t{0});
      return;
    }
    long_calls_ = 0;
    longest_ = trust_ <= 0 ? n : std::max(longest_, n);
    if (trust_ < k_calls_to_trust) ++trust_;
  }
  /// The caller has executed the first ones, and the rest is for a team.
  void was_long(std::uint64_t n, float cost) noexcept {
    cost_ = std::max(cost, k_least_cost);
    shortest_ = long_calls_ == 0 ? n : std::min(shortest_, n);
    if (long_calls_ < k_sure) ++long_calls_;
    trust_ = std::min(trust_, std::int16_t{0});
  }

private:
  static constexpr std::uint8_t k_sure = 2;
  /// Looks at the clock, 20 ns each, in a call of which little is known. After so many short calls in a row
  /// the caller looks only once. A call that then takes 40 us or more sets the count back, so that the next
  /// surprise comes after 255 calls at the earliest.
  static constexpr std::uint64_t k_looks_alone = 16, k_surprise_alone = 100'000;
  static constexpr std::int16_t k_calls_to_trust = 16, k_trust_after_surprise = k_calls_to_trust - 255;
  static constexpr float k_least_cost = 1e-3F;
  static constexpr float k_most = 1e9F;
  static constexpr float k_brief = 1'000;

  std::uintptr_t key_ = 0;
  std::uint64_t shortest_ = 0; // elements of the latest long calls
  std::uint64_t longest_ = 0;  // and of the latest short ones
  float cost_ = 0;
  std::int16_t trust_ = 0;      // short calls in a row, or less
  std::uint8_t long_calls_ = 0; // in a row
  std::uint8_t calls_ = 0;
};

/// The sites of one thread. Direct-mapped table: a colliding entry is overwritten.
class Sites {
public:
  [[gnu::always_inline]] Site& at(std::uintptr_t key) noexcept {
    Site& site = sites_[key >> (64 - k_bits)];
    if (!site.is_of(key)) [[unlikely]]
      site.restart(key);
    return site;
  }

private:
  static constexpr unsigned k_bits = 6;
  Site sites_[1U << k_bits];
};
inline constinit thread_local Sites t_sites;

/// Executes elements [begin, end) as one batch, behind those in `result`. Returns false if the call
/// has ended.
inline bool do_batch(const core::ErasedBody& body, std::uint64_t begin, std::uint64_t end,
                     core::ValueSlot result) noexcept {
  return *result.has_value ? body.extend(result, begin, end) : body.start(result, begin, end);
}

/// Executes [begin, n) in the caller: in one batch, or in `step`s where a token or counter needs them.
inline void fold_alone(const core::ErasedBody& body, std::uint64_t begin, std::uint64_t n, std::uint64_t step,
                       core::ValueSlot result) noexcept {
  while (begin != n) {
    const std::uint64_t end = n - begin > step ? begin + step : n;
    if (!do_batch(body, begin, end, result)) return;
    begin = end;
  }
}

/// The caller begins. Returns how many elements are done: all of them if the call is short, or has ended;
/// else a team is worth it.
inline std::uint64_t begin_alone(const core::ErasedBody& body, Site& site, std::uint64_t n,
                                 std::uint64_t least, std::uint64_t most, core::ValueSlot result) noexcept {
  if (site.needs_team(n)) return 0;
  const std::uint64_t longest = site.longest_step(n);
  std::uint64_t step = std::min(std::max(std::min(site.first_step(), longest), least), most);
  const std::uint64_t since = core::StdPlatform::ticks();
  for (std::uint64_t done = 0;;) {
    const std::uint64_t end = n - done > step ? done + step : n;
    if (!do_batch(body, done, end, result)) return n;
    done = end;
    const std::uint64_t elapsed = core::elapsed(since, core::StdPlatform::ticks());
    const float cost = static_cast<float>(static_cast<std::int64_t>(elapsed)) / static_cast<float>(done);
    if (done == n) {
      site.was_alone(n, elapsed, cost);
      return n;
    }
    const float left = cost * static_cast<float>(n - done);
    const bool is_long = elapsed > core::tuning::k_most_alone ||
                         (elapsed > core::tuning::k_alone && left > static_cast<float>(core::tuning::k_pays));
    if (is_long) {
      site.was_long(n, cost);
      return done;
    }
    // As many as should take half of k_alone, but not much more than are known to be cheap.
    const float wanted = static_cast<float>(core::tuning::k_alone / 2) / std::max(cost, 1e-3F);
    const float limit = static_cast<float>(done) * core::tuning::k_growth;
    step = std::min(static_cast<std::uint64_t>(std::min(wanted, limit)) + 1, longest);
    step = std::min(std::max(step, least), most);
  }
}

} // namespace detail
} // namespace v1
} // namespace wstree
