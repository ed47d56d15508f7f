// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asymmetric iteration distribution (J. C. Saez, F. Castro, M. Prieto-Matias: Enabling performance
// portability of data-parallel OpenMP applications on asymmetric multicore processors, ICPP 2020, arXiv
// 2402.07664), in libgomp: AID-static, AID-hybrid, AID-dynamic.
//
// Sampling: each member takes a chunk of the counter and times it. Members that are done take further chunks
// until all are. The speedup factor SF of a kind of cores is the mean time of an iteration on the slowest
// kind by that on this kind. Then
//   AID-static   a member of kind j gets SF_j * k iterations in all, k so that all get all; at once;
//   AID-hybrid   the same with 80 % of the iterations, and chunks from the counter for the rest;
//   AID-dynamic  R_j * M iterations again and again (M: 5 chunks), R_j being SF_j of the latest such pieces,
//                and chunks once less is left than all members take at a time.
// As there, kinds are known from where members run. Modelled: two looks at the clock per sample or piece, a
// read-modify-write of the counter per piece and of the sums of a kind per sample. Left out: the work share.
#pragma once

#include "central.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace wstree::simulate {

enum class Aid : std::uint8_t { at_once, hybrid, dynamic };

template <class P> class AidLoop : public LibompLoop<P> {
public:
  static constexpr std::size_t k_kinds = 4;

  void leave(std::uint32_t members) noexcept {
    if (!this->is_last(members)) return;
    for (Kind& kind : kinds_) {
      kind.ticks.store(0, std::memory_order_relaxed);
      kind.iterations.store(0, std::memory_order_relaxed);
    }
    sampled_.store(0, std::memory_order_relaxed);
    this->clear();
  }
  /// Adds the time that a member of `kind` took for so many iterations.
  void add(std::uint32_t kind, std::uint64_t ticks, std::uint64_t iterations) noexcept {
    kinds_[kind].ticks.fetch_add(ticks, std::memory_order_relaxed);
    kinds_[kind].iterations.fetch_add(iterations, std::memory_order_relaxed);
  }
  void end_sample() noexcept { sampled_.fetch_add(1, std::memory_order_acq_rel); }
  std::uint64_t sampled() const noexcept { return sampled_.load(std::memory_order_acquire); }

  /// Returns the factor SF of each kind; 0 for kinds without members.
  std::array<double, k_kinds> factors() const noexcept {
    std::array<double, k_kinds> costs{};
    double slowest = 0;
    for (std::size_t k = 0; k < k_kinds; ++k) {
      const std::uint64_t iterations = kinds_[k].iterations.load(std::memory_order_relaxed);
      if (iterations == 0) continue;
      const std::uint64_t ticks = kinds_[k].ticks.load(std::memory_order_relaxed);
      costs[k] = static_cast<double>(std::max<std::uint64_t>(ticks, 1)) / static_cast<double>(iterations);
      slowest = std::max(slowest, costs[k]);
    }
    for (double& cost : costs) cost = cost > 0 ? slowest / cost : 0;
    return costs;
  }

private:
  struct Kind {
    typename P::template Atomic<std::uint64_t> ticks{0};
    typename P::template Atomic<std::uint64_t> iterations{0};
  };
  alignas(core::k_line_pair) std::array<Kind, k_kinds> kinds_{};
  alignas(core::k_line_pair) typename P::template Atomic<std::uint64_t> sampled_{0};
};

template <class P, Aid aid> class AidRule : public StealsNothing {
public:
  using Loop = AidLoop<P>;

  void enter(Loop&, const core::Entry& entry) {
    iterations_ = entry.iterations;
    chunk_ = std::clamp<std::uint64_t>(entry.smallest, 1, entry.iterations);
    members_ = entry.members;
    kind_ = P::kind_of(entry.index);
    for (auto& count : of_kind_) count = 0;
    for (std::uint32_t m = 0; m < members_; ++m) ++of_kind_[P::kind_of(m)];
    stage_ = Stage::begin;
    own_ = given_ = 0;
  }
  bool take(Loop& loop, core::Range& out) noexcept {
    if (stage_ == Stage::begin) {
      stage_ = Stage::sample;
      return piece(loop, chunk_, out);
    }
    if (stage_ == Stage::sample) {
      stage_ = Stage::wait;
      if (given_ != 0) loop.add(kind_, P::ticks() - since_, given_);
      loop.end_sample();
    }
    if (stage_ == Stage::wait) {
      if (loop.sampled() < members_) return piece(loop, chunk_, out);
      stage_ = Stage::share;
    }
    return stage_ == Stage::share ? share(loop, out) : piece(loop, chunk_, out);
  }
  static std::uint64_t unclaimed(Loop& loop, const core::Entry& entry) noexcept {
    return entry.iterations - std::min(loop.taken(), entry.iterations);
  }

private:
  static constexpr double k_at_once = 0.8;    // part of the iterations, AID-hybrid
  static constexpr std::uint64_t k_major = 5; // chunks of a slow member's piece, AID-dynamic
  enum class Stage : std::uint8_t { begin, sample, wait, share, chunks };

  bool share(Loop& loop, core::Range& out) noexcept {
    if constexpr (aid == Aid::dynamic)
      if (given_ != 0) loop.add(kind_, P::ticks() - since_, given_);
    const auto factors = loop.factors();
    double all = 0;
    for (std::size_t k = 0; k < factors.size(); ++k) all += factors[k] * of_kind_[k];
    if (all <= 0) all = 1;
    if constexpr (aid == Aid::dynamic) {
      const double major = static_cast<double>(k_major * chunk_);
      const std::uint64_t left = unclaimed_of(loop);
      if (static_cast<double>(left) > major * all)
        return piece(loop, static_cast<std::uint64_t>(std::max(std::llround(factors[kind_] * major), 1LL)),
                     out);
      stage_ = Stage::chunks;
      return piece(loop, chunk_, out);
    } else {
      stage_ = Stage::chunks;
      const double part = aid == Aid::hybrid ? k_at_once : 1.0;
      const auto mine = static_cast<std::uint64_t>(
          std::llround(static_cast<double>(iterations_) * part * factors[kind_] / all));
      return piece(loop, mine > own_ ? mine - own_ : chunk_, out);
    }
  }
  std::uint64_t unclaimed_of(Loop& loop) const noexcept {
    return iterations_ - std::min(loop.taken(), iterations_);
  }
  bool piece(Loop& loop, std::uint64_t size, core::Range& out) noexcept {
    const std::uint64_t begin = loop.take(size);
    given_ = 0;
    if (begin >= iterations_) return false;
    out = {begin, std::min(begin + size, iterations_), false};
    given_ = out.end - out.begin;
    own_ += given_;
    if (stage_ == Stage::sample || aid == Aid::dynamic) since_ = P::ticks();
    return true;
  }

  std::uint64_t iterations_ = 0;
  std::uint64_t chunk_ = 1;
  std::uint32_t members_ = 1;
  std::uint32_t kind_ = 0;
  std::array<std::uint32_t, Loop::k_kinds> of_kind_{};
  Stage stage_ = Stage::begin;
  std::uint64_t own_ = 0;   // iterations so far
  std::uint64_t given_ = 0; // in the latest piece
  std::uint64_t since_ = 0;
};

} // namespace wstree::simulate
