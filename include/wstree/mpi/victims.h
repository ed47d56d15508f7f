// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of the rank from which a rank steals.
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

  /// A rank to steal from, and its word as it was seen, with which the steal begins.
  struct Choice {
    std::uint32_t victim = k_none;
    std::uint64_t word = 0;
  };

  /// `cost`: the own seconds for a unit. A rank whose rest takes `enough` seconds is as good as any. An
  /// operation on another rank's word may last until that rank's piece ends, so that none is made which
  /// decides nothing.
  template <class Memory> Choice choose(Member<Memory>& member, Memory& memory, double cost, double enough) {
    found_.clear();
    const auto look = [&](std::uint32_t victim) {
      if (victim == rank_) return;
      const std::uint64_t word = member.look_at(victim);
      if (const std::uint32_t units = member.left_in(victim, word).size(); units != 0)
        found_.push_back({{victim, word}, units});
    };
    for (std::uint32_t i = 0; i < near_.size() && i < k_looks; ++i)
      look(near_[near_.size() <= k_looks ? i : next(near_.size())]);
    double most = 0;
    if (!found_.empty())
      if (const Choice best = longest(memory, cost, most); most >= enough) return take(best);
    if (ranks_ <= 2 * k_looks) {
      found_.clear(); // all are looked at again
      for (std::uint32_t i = 0; i < ranks_; ++i) look(i);
    } else {
      if (last_ != k_none) look(last_);
      for (std::uint32_t i = 0; i < k_looks; ++i) look(next(ranks_));
    }
    if (found_.empty()) return {};
    return take(found_.size() == 1 ? found_.front().choice : longest(memory, cost, most));
  }

private:
  struct Found {
    Choice choice;
    std::uint32_t units;
  };

  Choice take(Choice choice) noexcept {
    last_ = choice.victim;
    return choice;
  }
  /// Describes the ranks that were found; `most`: its seconds.
  template <class Memory> Choice longest(Memory& memory, double cost, double& most) {
    Choice best = found_.front().choice;
    most = 0;
    for (const Found& found : found_) {
      const auto bits = static_cast<std::uint32_t>(memory.load(found.choice.victim, Slot::cost));
      const double its_cost = bits != 0 ? static_cast<double>(std::bit_cast<float>(bits)) : cost;
      const double time = found.units * (its_cost > 0 ? its_cost : 1e-9);
      if (time > most) best = found.choice, most = time;
    }
    return best;
  }
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
  std::vector<Found> found_;
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
