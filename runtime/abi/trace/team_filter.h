// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads in each team, so that the writer of a trace need not look for them in all tracks.
#pragma once

#include "trace/trace.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace wstree::abi {

/// For each track the teams that its loops were in, as a Bloom filter: a program may have hundreds of threads
/// in many teams, and thousands of events of each. Tracks are numbered in their order.
class TeamFilters {
public:
  void fill(const loop::Track* first) noexcept {
    count_ = 0;
    for (const loop::Track* track = first; track != nullptr && count_ < k_most_tracks; track = track->next) {
      Filter& filter = filters_[count_++];
      filter = {};
      const std::uint64_t total = track->total();
      for (std::uint64_t i = track->oldest(total); i < total; ++i)
        if (track->at(i).kind == loop::Event::Kind::loop) filter.add(track->at(i).execution);
    }
  }
  /// Returns false only if the track number `track` has no loop of the team of `execution`. True is a hint.
  bool may_have(std::size_t track, std::uint64_t execution) const noexcept {
    return track >= count_ || filters_[track].may_have(execution);
  }

private:
  struct Filter {
    std::array<std::uint64_t, 4> words{};

    void add(std::uint64_t execution) noexcept {
      const std::uint64_t hash = hash_of(execution);
      words[first_word(hash)] |= first_bit(hash);
      words[second_word(hash)] |= second_bit(hash);
    }
    bool may_have(std::uint64_t execution) const noexcept {
      const std::uint64_t hash = hash_of(execution);
      return (words[first_word(hash)] & first_bit(hash)) != 0 &&
             (words[second_word(hash)] & second_bit(hash)) != 0;
    }

  private:
    static std::uint64_t hash_of(std::uint64_t execution) noexcept {
      return loop::team_of(execution) * 0x9E3779B97F4A7C15U;
    }
    static std::size_t first_word(std::uint64_t hash) noexcept { return hash >> 62; }
    static std::size_t second_word(std::uint64_t hash) noexcept { return hash >> 54 & 3; }
    static std::uint64_t first_bit(std::uint64_t hash) noexcept {
      return std::uint64_t{1} << (hash >> 56 & 63);
    }
    static std::uint64_t second_bit(std::uint64_t hash) noexcept {
      return std::uint64_t{1} << (hash >> 48 & 63);
    }
  };

  std::array<Filter, k_most_tracks> filters_{};
  std::size_t count_ = 0;
};

} // namespace wstree::abi
