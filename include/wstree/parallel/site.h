// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a call begins: alone, until it has taken so long that a team pays; and what is remembered of its place.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/reduction/value.h"
#include "wstree/core/tuning.h"
#include "wstree/parallel/policy.h"

#include <algorithm>
#include <cstdint>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Calls at one place in the source, as one thread has seen them. It decides only when a team is asked for:
/// what is wrong here costs a microsecond, or a team that was not needed. Zeroed memory: nothing is known.
class Site {
public:
  bool is_of(call_site where) const noexcept { return file_ == where.file && line_ == where.line; }
  void restart(call_site where) noexcept {
    *this = {};
    file_ = where.file;
    line_ = where.line;
  }

  /// Two calls in a row of so many elements, or fewer, needed a team. From time to time the answer is no, so
  /// that somebody looks again.
  bool needs_team(std::uint64_t n) noexcept {
    return long_calls_ >= k_sure && n >= shortest_ && calls_++ % (core::tuning::k_calls_unclocked + 1) != 0;
  }
  /// Elements that should take half of k_alone; at least 1.
  std::uint64_t first_step() const noexcept {
    if (cost_ <= 0) return 1;
    constexpr auto half = static_cast<float>(core::tuning::k_alone / 2);
    return static_cast<std::uint64_t>(std::min(half / cost_, k_most)) + 1;
  }
  /// Ticks per element, for members that know nothing else.
  float cost() const noexcept { return cost_; }

  /// The caller has executed all elements, or the first ones.
  void learn(float ticks_per_element) noexcept { cost_ = std::max(ticks_per_element, k_least_cost); }
  void was_short() noexcept { long_calls_ = 0; }
  void was_long(std::uint64_t n) noexcept {
    shortest_ = long_calls_ == 0 ? n : std::min(shortest_, n);
    if (long_calls_ < k_sure) ++long_calls_;
  }

private:
  static constexpr std::uint8_t k_sure = 2;
  static constexpr float k_least_cost = 1e-3F;
  static constexpr float k_most = 1e9F;

  const char* file_ = nullptr;
  std::uint64_t shortest_ = 0; // elements of the latest long calls
  std::uint32_t line_ = 0;
  float cost_ = 0;
  std::uint8_t long_calls_ = 0; // in a row
  std::uint8_t calls_ = 0;
};

/// The places of one thread. A place that falls on another one takes it.
class Sites {
public:
  [[gnu::always_inline]] Site& at(call_site where) noexcept {
    const std::uintptr_t mixed =
        (reinterpret_cast<std::uintptr_t>(where.file) + where.line) * 0x9E3779B97F4A7C15U;
    Site& site = sites_[mixed >> (64 - k_bits)];
    if (!site.is_of(where)) [[unlikely]]
      site.restart(where);
    return site;
  }

private:
  static constexpr unsigned k_bits = 6;
  Site sites_[1U << k_bits];
};
inline constinit thread_local Sites t_sites;

/// Elements [begin, end) as one batch, behind those in `result`. False: the call has ended.
template <class Body>
[[gnu::always_inline]] inline bool do_batch(Body& body, std::uint64_t begin, std::uint64_t end,
                                            core::Maybe<typename Body::Value>& result) noexcept {
  if (result.has_value()) return body.extend(result.value(), begin, end);
  if (!body.start(result.place(), begin, end)) return false;
  result.set();
  return true;
}

/// All elements [begin, n) by the caller: in one batch, or in `step`s where somebody counts or may stop them.
template <class Body>
void fold_alone(Body& body, std::uint64_t begin, std::uint64_t n, std::uint64_t step,
                core::Maybe<typename Body::Value>& result) noexcept {
  while (begin != n && body.goes_on()) {
    const std::uint64_t end = n - begin > step ? begin + step : n;
    if (!do_batch(body, begin, end, result)) return;
    begin = end;
  }
}

/// The caller begins. Returns how many elements are done: all of them if the call is short, or has ended;
/// else a team is worth it.
template <class Body>
std::uint64_t begin_alone(Body& body, Site& site, std::uint64_t n, std::uint64_t least, std::uint64_t most,
                          core::Maybe<typename Body::Value>& result) noexcept {
  if (site.needs_team(n)) return 0;
  std::uint64_t step = std::min(std::max(site.first_step(), least), most);
  const std::uint64_t since = core::StdPlatform::ticks();
  for (std::uint64_t done = 0;;) {
    if (!body.goes_on()) return n;
    const std::uint64_t end = n - done > step ? done + step : n;
    if (!do_batch(body, done, end, result)) return n;
    done = end;
    const std::uint64_t elapsed = core::elapsed(since, core::StdPlatform::ticks());
    const float cost = static_cast<float>(static_cast<std::int64_t>(elapsed)) / static_cast<float>(done);
    if (done == n) {
      site.learn(cost);
      if (elapsed < core::tuning::k_most_alone) site.was_short();
      return n;
    }
    const float left = cost * static_cast<float>(n - done);
    const bool is_long = elapsed > core::tuning::k_most_alone ||
                         (elapsed > core::tuning::k_alone && left > static_cast<float>(core::tuning::k_pays));
    if (is_long) {
      site.learn(cost);
      site.was_long(n);
      return done;
    }
    // As many as should take half of k_alone, but not much more than are known to be cheap.
    const float wanted = static_cast<float>(core::tuning::k_alone / 2) / std::max(cost, 1e-3F);
    const float limit = static_cast<float>(done) * core::tuning::k_growth;
    step = std::min(std::max(static_cast<std::uint64_t>(std::min(wanted, limit)) + 1, least), most);
  }
}

} // namespace detail
} // namespace v1
} // namespace wstree
