// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that MPI ranks share, under the model checker: threads stand for ranks, whose words are read late and
// changed by one operation at a time, whenever the network gets to it.
#pragma once

#include "engine/execution.h"
#include "engine/platform.h"

#include "wstree/mpi/board.h"
#include "wstree/mpi/search.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
  bool posts = false; ///< and read each other's notes, and exchange packets again
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
    boards_.clear();
    std::vector<std::byte*> places;
    for (std::uint32_t rank = 0; plan_.rests && rank < plan_.ranks; ++rank)
      places.push_back(places_[rank].data());
    for (std::uint32_t rank = 0; rank < places.size(); ++rank) boards_.emplace_back(places, rank, 0);
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
  using Board = mpi::detail::BasicBoard<ModelPlatform>;
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
  };
  using Member = mpi::detail::Member<Words>;

  struct Host {
    RankProgram& program;
    Member& member;
    std::uint32_t rank;
    std::uint32_t call;
    Board* board; // nullptr: the ranks do not rest
    std::uint32_t own_bound = ~0U;
    std::uint32_t executed = 0; // units, which the packet says
    bool is_resting_ = false;

    bool goes_on() const {
      if (program.plan_.posts) check_notes();
      return !is_resting_ || !board->all_rest();
    }
    /// Reads the notes of the ranks that have begun the call.
    void check_notes() const {
      for (std::uint32_t of = 0; of < program.plan_.ranks; ++of)
        if (of != rank && board->has_begun(of) && board->note(of) != Board::Note{call, of})
          Execution::now->fail("a note is wrong");
    }
    bool wake() {
      if (is_resting_) is_resting_ = !board->wake();
      return !is_resting_;
    }
    std::uint32_t bound() {
      const std::uint32_t others = member.bound();
      if (own_bound < others) member.bound_all(own_bound);
      return std::min(own_bound, others);
    }
    std::uint64_t want(std::uint64_t) const { return program.plan_.most; }
    static void drop(std::uint32_t) {}
    void rest() {
      if (!is_resting_ && board != nullptr) board->rest(std::as_bytes(std::span(&executed, 1)), {});
      is_resting_ = board != nullptr;
    }
    bool is_resting() const { return is_resting_; }
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
    Board* const board = plan_.rests ? &boards_[rank] : nullptr;
    if (board != nullptr) board->begin({call, rank});
    Host host{*this, member, rank, call, board};
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
      host.executed += done;
    }
    if (board != nullptr) end_by_board(host, *board);
    Execution::now->succeed();
  }

  /// The rank waits for all others, and reads their packets and notes.
  void end_by_board(Host& host, Board& board) {
    host.rest();
    while (!board.all_rest()) Execution::now->wait();
    std::uint32_t executed = 0;
    for (std::uint32_t rank = 0; rank < plan_.ranks; ++rank) executed += number_in(board.packet(rank));
    if (executed != plan_.units[host.call - 1]) Execution::now->fail("a packet is wrong");
    if (!plan_.posts) return;
    while (!board.have_all_begun()) Execution::now->wait();
    host.check_notes();
    board.post(std::as_bytes(std::span(&host.call, 1)), {});
    while (!board.are_all_there()) Execution::now->wait();
    for (std::uint32_t rank = 0; rank < plan_.ranks; ++rank)
      if (number_in(board.packet(rank)) != host.call) Execution::now->fail("a later packet is wrong");
  }
  static std::uint32_t number_in(std::span<const std::byte> packet) {
    std::uint32_t number = 0;
    std::memcpy(&number, packet.data(), std::min(packet.size(), sizeof number));
    return number;
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
  struct alignas(64) Place : std::array<std::byte, Board::k_bytes> {};
  std::array<Place, k_most_ranks> places_; // memory of the boards
  std::vector<Board> boards_;              // of each rank, if they rest
  std::vector<Member> members_;
  std::deque<mpi::detail::FirstCut> cuts_;
  std::array<std::array<std::uint8_t, 32>, 4> hits_{}; // of each call
};

inline std::function<std::unique_ptr<Program>()> ranks(RankPlan plan) {
  return [plan] { return std::make_unique<RankProgram>(plan); };
}

} // namespace wstree::model
