// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a call site, for the decision how its next call begins.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/platform.h"
#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"
#include "wstree/parallel/policy.h"

#include <cstdint>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

template <class Folder> inline constexpr char k_mark_of{};

/// Returns a hash of the call site and of the type that it executes: a helper that is called with many
/// functions stands at one line of the source. Two call sites hardly ever have the same key; then costs are
/// wrong for a while.
template <class Folder> std::uintptr_t site_key(call_site where) noexcept {
  const auto mark = reinterpret_cast<std::uintptr_t>(&k_mark_of<Folder>);
  return (reinterpret_cast<std::uintptr_t>(where.file) + (mark << 16) + where.line) * 0x9E3779B97F4A7C15U;
}

/// Calls of one kind, as one thread has seen them. It decides only when a team is called: an error here costs
/// a microsecond, or a team that was not needed. Zeroed memory: nothing is known.
template <class P> class SiteOf {
public:
  bool is_of(std::uintptr_t key) const noexcept { return key_ == key; }
  void restart(std::uintptr_t key) noexcept {
    *this = {};
    key_ = key;
  }

  /// Returns whether two calls in a row of at most n elements needed a team. From time to time it
  /// returns false, so that a call begins alone and reads the clock again.
  bool needs_team(std::uint64_t n) noexcept {
    return long_calls_ >= k_sure && n >= shortest_ && calls_++ % (core::tuning::k_calls_unclocked + 1) != 0;
  }
  /// Returns the most of n elements that the caller executes without a look at the clock. No other member can
  /// have any of them, and behind cheap elements may be expensive ones: all of them only where that has gone
  /// well in a row of calls that were about as large.
  std::uint64_t longest_step(std::uint64_t n) const noexcept {
    return trust_ == k_calls_to_trust && n / 2 <= longest_ ? n : n / k_looks_alone + 1;
  }
  /// Returns whether a caller that has found no dear element yet doubles its steps: a pause between two brief
  /// calls may be the program's other work, and sixteen looks take twenty times as long as a brief call.
  bool doubles() const noexcept { return trust_ < 0 && !was_dear_; }
  /// Returns whether all of n elements take so little that reading the clock would be much of it.
  bool takes_little(std::uint64_t n) const noexcept { return n <= little_; }
  /// Returns whether one of the latest calls took far longer than those before.
  bool is_careful() const noexcept { return trust_ < 0; }
  /// Returns whether the caller executes n elements without a look at the clock in their midst. One call of
  /// two looks at its beginning: if the look before is long ago, one of these two calls may have become dear,
  /// and the next calls are not brief. One call of k_calls_unclocked + 2, an odd number, is measured, unless
  /// a look has shown that the calls before took little.
  [[gnu::always_inline]] bool is_brief(std::uint64_t n) noexcept {
    if (n > little_) return false;
    if (++calls_ % 2 == 0) return is_between_measurements();
    const std::uint64_t now = P::ticks(), before = std::exchange(looked_, now);
    if (now - before >= core::ticks_in<P>(k_brief_ns)) [[unlikely]]
      return is_brief_after(before, now);
    calls_ = 1; // the latest two calls were brief: the next measurement is far off again
    return true;
  }
  /// Returns the elements that should take half of k_alone_ns; at least 1.
  std::uint64_t first_step() const noexcept {
    if (cost_ <= 0) return 1;
    const auto half = static_cast<float>(core::ticks_in<P>(core::tuning::k_alone_ns / 2));
    return static_cast<std::uint64_t>(std::min(half / cost_, k_most)) + 1;
  }
  /// Returns the ticks per element, for members that have no other estimate.
  float cost() const noexcept { return cost_; }

  /// The caller alone has executed all n elements, each in `cost` ticks. If that took too long, by an
  /// interruption or by their cost, the caller has to look again.
  void was_alone(std::uint64_t n, std::uint64_t ticks, float cost) noexcept {
    cost_ = std::max(cost, k_least_cost);
    if (ticks >= core::ticks_in<P>(core::tuning::k_most_alone_ns)) {
      const bool is_surprise = ticks > surprise();
      trust_ = std::min(trust_, is_surprise ? k_trust_after_surprise : std::int16_t{0});
      looked_ = 0;
      was_dear_ = was_dear_ || is_surprise;
      return find_little();
    }
    long_calls_ = 0;
    longest_ = trust_ <= 0 ? n : std::max(longest_, n);
    if (trust_ < k_calls_to_trust) ++trust_;
    if (trust_ == k_calls_to_trust) was_dear_ = false;
    find_little();
  }
  /// The caller has executed the first ones, and the rest is for a team.
  void was_long(std::uint64_t n, float cost) noexcept {
    cost_ = std::max(cost, k_least_cost);
    shortest_ = long_calls_ == 0 ? n : std::min(shortest_, n);
    if (long_calls_ < k_sure) ++long_calls_;
    trust_ = std::min(trust_, std::int16_t{0});
    looked_ = 0, was_dear_ = true;
    find_little();
  }

private:
  static constexpr std::uint8_t k_sure = 2;
  /// Looks at the clock, 20 ns each, in a call of which little is known. After so many short calls in a row
  /// the caller looks only once. A call that then takes 40 us or more sets the count back, so that the next
  /// surprise comes after 255 calls at the earliest.
  static constexpr std::uint64_t k_looks_alone = 16, k_surprise_ns = 40'000;
  static constexpr std::int16_t k_calls_to_trust = 16, k_trust_after_surprise = k_calls_to_trust - 255;
  static constexpr float k_least_cost = 1e-3F;
  static constexpr float k_most = 1e9F;
  static constexpr std::uint64_t k_brief_ns = 400;

  static std::uint64_t surprise() noexcept { return core::ticks_in<P>(k_surprise_ns); }

  bool is_between_measurements() const noexcept {
    return calls_ % (core::tuning::k_calls_unclocked + 2) != 0;
  }
  /// Returns is_brief() after two looks at the clock that are not near each other, or one look.
  [[gnu::noinline]] bool is_brief_after(std::uint64_t before, std::uint64_t now) noexcept {
    if (before != 0 && core::elapsed(before, now) > surprise()) {
      trust_ = k_trust_after_surprise, looked_ = 0, little_ = 0;
      return false;
    }
    return is_between_measurements();
  }
  /// Sets little_ by the cost of an element, and by the number of elements that went well.
  void find_little() noexcept {
    const float brief = static_cast<float>(core::ticks_in<P>(k_brief_ns)) / cost_;
    little_ = trust_ == k_calls_to_trust ? std::min(static_cast<std::uint64_t>(brief), longest_ * 2 + 1) : 0;
  }

  std::uintptr_t key_ = 0;
  std::uint64_t shortest_ = 0; // elements of the latest long calls
  std::uint64_t longest_ = 0;  // elements of the latest short calls
  std::uint64_t little_ = 0;   // most elements of which takes_little() is true
  std::uint64_t looked_ = 0;   // when a brief call looked at the clock; 0: none since the calls are brief
  float cost_ = 0;
  std::int16_t trust_ = 0;          // short calls in a row, or less
  std::uint8_t long_calls_ : 7 = 0; // in a row
  bool was_dear_ : 1 = false;       // a call since the site was trusted
  std::uint8_t calls_ = 0;
};

using Site = SiteOf<core::StdPlatform>;

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

} // namespace detail
} // namespace v1
} // namespace wstree
