// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rank a rank steals from.
#pragma once

#include "wstree/mpi/member.h"

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// The ranks of the own node first, then all others; of those it looks at, the one with the most time left.
class Victims {
public:
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};

  /// `near`: the other ranks of the node; empty where all ranks are there.
  Victims(std::uint32_t rank, std::uint32_t ranks, std::vector<std::uint32_t> near)
      : rank_(rank), ranks_(ranks), near_(std::move(near)), random_(rank * 2654435761U + 1) {}

  /// The rank to steal from. `cost`: the own seconds for a unit. A rank whose rest takes `enough` seconds is
  /// as good as any.
  template <class Memory>
  std::uint32_t choose(Member<Memory>& member, Memory& memory, double cost, double enough) {
    best_ = k_none, most_ = 0;
    const auto look = [&](std::uint32_t victim) {
      if (victim == rank_) return;
      const std::uint32_t units = member.left_of(victim).size();
      if (units == 0) return;
      const auto bits = static_cast<std::uint32_t>(memory.load(victim, Slot::cost));
      const double its_cost = bits != 0 ? static_cast<double>(std::bit_cast<float>(bits)) : cost;
      const double time = units * (its_cost > 0 ? its_cost : 1e-9);
      if (time > most_) best_ = victim, most_ = time;
    };
    for (std::uint32_t i = 0; i < near_.size() && i < k_looks; ++i)
      look(near_[near_.size() <= k_looks ? i : next(near_.size())]);
    if (most_ >= enough) return last_ = best_;
    if (ranks_ <= 2 * k_looks) {
      for (std::uint32_t i = 0; i < ranks_; ++i) look(i);
    } else {
      if (last_ != k_none) look(last_);
      for (std::uint32_t i = 0; i < k_looks; ++i) look(next(ranks_));
    }
    return last_ = best_;
  }

private:
  static constexpr std::uint32_t k_looks = 8;

  std::uint32_t next(std::size_t below) noexcept {
    random_ ^= random_ << 13, random_ ^= random_ >> 7, random_ ^= random_ << 17;
    return static_cast<std::uint32_t>(random_ % below);
  }

  std::uint32_t rank_;
  std::uint32_t ranks_;
  std::vector<std::uint32_t> near_;
  std::uint64_t random_; // xorshift
  std::uint32_t last_ = k_none;
  std::uint32_t best_ = k_none;
  double most_ = 0;
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
