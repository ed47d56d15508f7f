// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that MPI ranks share, under the model checker: threads stand for ranks, whose words are read late and
// changed by one operation at a time, whenever the network gets to it.
#pragma once

#include "engine/execution.h"
#include "engine/platform.h"

#include "wstree/mpi/search.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace wstree::model {

struct RankPlan {
  std::uint32_t ranks = 2;
  std::vector<std::uint32_t> units = {4}; ///< of each call
  std::uint32_t most = 1;                 ///< units of a piece
  /// A piece of several units is left after its first one, or has a gap behind that (3 units and more).
  bool gives_back = false;
  std::uint32_t bound = ~0U; ///< the rank that executes this unit ends the loop there
  std::uint32_t late = ~0U;  ///< this rank opens its range when all units are counted
  /// Ranks of one node, which go on to the next call when all rest (mpi/board.h), and do not meet before.
  bool rests = false;
};

/// Every unit is executed once, or dropped behind the bound; calls end; and no word is of an earlier call.
class RankProgram final : public Program {
public:
  explicit RankProgram(RankPlan plan) : plan_(std::move(plan)) {}

  std::uint32_t threads() const override { return plan_.ranks; }
  void reset() override {
    members_.clear();
    cuts_.clear();
    words_ = std::make_unique<Words>();
    for (std::uint32_t rank = 0; rank < plan_.ranks; ++rank)
      members_.emplace_back(*words_, rank, plan_.ranks);
    hits_ = {};
  }
  void body(std::uint32_t rank) override {
    const auto calls = static_cast<std::uint32_t>(plan_.units.size());
    for (std::uint32_t call = 1; call <= calls; ++call) {
      execute(rank, call);
      if (!plan_.rests || call == calls) Execution::now->meet([this, call] { check(call); });
    }
  }

private:
  using Range = mpi::detail::Range;
  using Slot = mpi::detail::Slot;
  static constexpr std::uint32_t k_most_ranks = 3;

  /// A rank's own changes are as late as any other's.
  struct Words {
    std::uint64_t load(std::uint32_t rank, Slot slot) const {
      return at(rank, slot).load(std::memory_order_acquire);
    }
    std::uint64_t swap_if(std::uint32_t rank, Slot slot, std::uint64_t expected, std::uint64_t wanted) {
      at(rank, slot)
          .compare_exchange_strong(expected, wanted, std::memory_order_acq_rel, std::memory_order_acquire);
      return expected;
    }
    void add(std::uint32_t rank, Slot slot, std::uint64_t units) {
      at(rank, slot).fetch_add(units, std::memory_order_acq_rel);
    }
    void raise(std::uint32_t rank, Slot slot, std::uint64_t value) {
      std::uint64_t seen = load(rank, slot);
      while (seen < value && !at(rank, slot)
                                  .compare_exchange_strong(seen, value, std::memory_order_acq_rel,
                                                           std::memory_order_acquire)) {
      }
    }
    Atomic<std::uint64_t>& at(std::uint32_t rank, Slot slot) const {
      return words[rank * mpi::detail::k_slots + static_cast<std::uint32_t>(slot)];
    }
    mutable std::array<Atomic<std::uint64_t>, k_most_ranks * mpi::detail::k_slots> words{};
    Atomic<std::uint64_t> resting{}; ///< as the Board's
  };
  using Member = mpi::detail::Member<Words>;

  struct Host {
    RankProgram& program;
    Member& member;
    std::uint32_t rank;
    std::uint32_t call;
    std::uint64_t at_end; // Words::resting when all rest in this call
    std::uint32_t own_bound = ~0U;
    bool is_resting_ = false;

    bool goes_on() const { return !is_resting_ || !all_rest(); }
    /// As Board::wake().
    bool wake() {
      auto& resting = program.words_->resting;
      while (is_resting_) {
        std::uint64_t seen = resting.load(std::memory_order_acquire);
        if (seen >= at_end) return false;
        is_resting_ = !resting.compare_exchange_strong(seen, seen - 1, std::memory_order_acq_rel,
                                                       std::memory_order_acquire);
      }
      return true;
    }
    std::uint32_t bound() {
      const std::uint32_t others = member.bound();
      if (own_bound < others) member.bound_all(own_bound);
      return std::min(own_bound, others);
    }
    std::uint64_t want(std::uint64_t) const { return program.plan_.most; }
    static void drop(std::uint32_t) {}
    void rest() {
      if (!is_resting_ && program.plan_.rests)
        program.words_->resting.fetch_add(1, std::memory_order_acq_rel);
      is_resting_ = program.plan_.rests;
    }
    bool is_resting() const { return is_resting_; }
    bool all_rest() const { return program.words_->resting.load(std::memory_order_acquire) >= at_end; }
    bool steal() {
      Range stolen;
      for (std::uint32_t i = 1; i < program.plan_.ranks; ++i) {
        const std::uint32_t victim = (rank + i) % program.plan_.ranks;
        if (is_resting_ && (member.left_in(victim, member.look_at(victim)).empty() || !wake())) continue;
        if (member.steal(victim, stolen)) return true;
      }
      return false;
    }
    static void wait(unsigned) { Execution::now->wait(); }
  };

  void execute(std::uint32_t rank, std::uint32_t call) {
    Member& member = members_[rank];
    const mpi::detail::FirstCut& cut =
        cuts_.emplace_back(plan_.units[call - 1], plan_.ranks, std::span<const double>());
    const std::uint64_t counted = units_before(call);
    if (rank == plan_.late)
      while (words_->load(0, Slot::done) - counted < plan_.units[call - 1]) Execution::now->wait();
    member.open(call, cut, counted);
    Host host{*this, member, rank, call, std::uint64_t{plan_.ranks} * call};
    for (Range piece; mpi::detail::search(member, host, piece);) {
      hit(host, piece.begin);
      std::uint32_t done = 1;
      if (plan_.gives_back && piece.size() >= 3) {
        hit(host, piece.begin + 2), ++done;
        member.give_back({piece.begin + 3, piece.end});
        member.give_back({piece.begin + 1, piece.begin + 2});
      } else if (plan_.gives_back) {
        member.give_back({piece.begin + 1, piece.end});
      } else {
        for (; done < piece.size(); ++done) hit(host, piece.begin + done);
      }
      member.count(done);
    }
    if (plan_.rests) {
      host.rest();
      while (!host.all_rest()) Execution::now->wait();
    }
    Execution::now->succeed();
  }

  /// Returns the units of all calls before.
  std::uint64_t units_before(std::uint32_t call) const {
    return std::accumulate(plan_.units.begin(), plan_.units.begin() + (call - 1), std::uint64_t{0});
  }

  void hit(Host& host, std::uint32_t unit) {
    Execution::now->succeed();
    if (Execution::now->is_told()) Execution::now->tell("executes unit " + std::to_string(unit));
    auto& hits = hits_[host.call - 1];
    if (unit >= hits.size() || ++hits[unit] != 1)
      Execution::now->fail("unit " + std::to_string(unit) + " was executed twice");
    if (unit == plan_.bound) host.own_bound = unit;
  }

  void check(std::uint32_t call) {
    for (std::uint32_t before = 0; before < call; ++before)
      for (std::uint32_t unit = 0; unit < plan_.units[before]; ++unit)
        if (hits_[before][unit] == 0 && unit <= plan_.bound)
          return Execution::now->fail("unit " + std::to_string(unit) + " was lost");
    if (words_->load(0, Slot::done) != units_before(call + 1))
      Execution::now->fail("units were not counted once");
    for (std::uint32_t rank = 0; rank < plan_.ranks; ++rank)
      if (words_->load(rank, Slot::range) != mpi::detail::drained_in(call))
        Execution::now->fail("a range is left in a word");
  }

  RankPlan plan_;
  std::unique_ptr<Words> words_;
  std::vector<Member> members_;
  std::deque<mpi::detail::FirstCut> cuts_;
  std::array<std::array<std::uint8_t, 32>, 4> hits_{}; // of each call
};

inline std::function<std::unique_ptr<Program>()> ranks(RankPlan plan) {
  return [plan] { return std::make_unique<RankProgram>(plan); };
}

} // namespace wstree::model
