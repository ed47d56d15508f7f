// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work in parallel whose outcomes are taken in the order of the elements.
#pragma once

#include "wstree/parallel/tile_run.h"

#include <cstddef>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// The turn: the number of the tile before which everything was taken.
template <class P> class BasicTurns {
public:
  bool is(std::size_t tile) const noexcept {
    // [P5] acquire, release in pass(): what the members before have taken is there. Guard: model_parallel
    //      ordered_2x3 (each of the orders).
    return tile_.load(P::order(core::Tag::pass_turn, std::memory_order_acquire)) == tile;
  }
  void pass(std::size_t tile) noexcept {
    tile_.store(tile + 1, P::order(core::Tag::pass_turn, std::memory_order_release)); // P5
  }

private:
  alignas(64) typename P::template Atomic<std::size_t> tile_{0};
};

/// A member that makes the outcome of one tile after another and hands it over when it is the tile's turn. It
/// does not wait for that while it has room for another outcome.
///   Work: struct Outcome (default constructible, kept from tile to tile)
///         make(Tile, Outcome&), take(Outcome&) one at a time and in order, then after(Outcome&) by all
///         at once
template <class Policy, class Work, class P = core::StdPlatform> class OrderedMember {
public:
  OrderedMember(const Policy& policy, Work& work, BasicTurns<P>& turns, const BasicVerdict<P>& verdict)
      : policy_{policy}, work_{work}, turns_{turns}, verdict_{verdict} {}

  std::size_t current() const noexcept { return current_; }

  void operator()(const Tile& tile) {
    current_ = tile.number;
    Place& place = places_[(first_ + count_) % k_places];
    work_.make(tile, place.outcome);
    place.tile = tile;
    ++count_;
    while (count_ > 0 && hand_over()) {
    }
    for (unsigned spins = 1; count_ == k_places && !hand_over() && !give_up(); ++spins) pause<P>(spins);
  }

  /// Hands over the remaining tiles after the last one. Waits for its turn as long as tiles before it
  /// are executed.
  bool finish() {
    for (unsigned spins = 1; count_ > 0; ++spins) {
      if (hand_over()) return true;
      if (give_up()) return false;
      pause<P>(spins);
    }
    return false;
  }

private:
  static constexpr unsigned k_places = 4;
  struct Place {
    Tile tile;
    typename Work::Outcome outcome;
  };

  const Policy& policy_;
  Work& work_;
  BasicTurns<P>& turns_;
  const BasicVerdict<P>& verdict_;
  Place places_[k_places];
  unsigned first_ = 0, count_ = 0;
  std::size_t current_ = 0;

  bool hand_over() {
    Place& place = places_[first_];
    if (!turns_.is(place.tile.number)) return false;
    current_ = place.tile.number;
    first_ = (first_ + 1) % k_places, --count_;
    work_.take(place.outcome);
    turns_.pass(place.tile.number);
    work_.after(place.outcome);
    policy_.advance(place.tile.end - place.tile.begin);
    return true;
  }
  /// Returns whether an event on the left has ended the call, so that the turn never comes.
  bool give_up() noexcept {
    if (!verdict_.is_beyond(places_[first_].tile.number)) return false;
    count_ = 0;
    return true;
  }
};

/// Lets members of a team, but no more than `most`, execute the tiles in this way.
template <class Policy, class Work>
void run_ordered(const Policy& policy, const Tiling& tiling, std::uint32_t most, Work& work) {
  Verdict verdict;
  BasicTurns<core::StdPlatform> turns;
  run_tiles(policy, tiling, verdict, most, [&] {
    return OrderedMember<Policy, Work>{policy, work, turns, verdict};
  });
  verdict.finish();
}

} // namespace detail
} // namespace v1
} // namespace wstree
