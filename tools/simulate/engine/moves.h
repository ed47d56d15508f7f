// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the work that has changed its member from one execution of a loop to the next.
#pragma once

#include "virtual_time.h"
#include "workload.h"

#include "wstree/core/shape.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wstree::simulate {

/// Compares two executions with the same iterations; if they differ, the common ones count.
class Moves {
public:
  void handed(std::uint32_t member, const core::Range& piece) {
    now_.push_back({piece.begin, piece.end, member});
  }

  /// Returns the cost of the iterations that another member had in the round before; 0 after the first round.
  Time end_round(const Workload& workload) {
    std::ranges::sort(now_, {}, &Piece::begin);
    Time moved = 0;
    std::size_t was = 0;
    for (const Piece& piece : now_) {
      while (was < before_.size() && before_[was].end <= piece.begin) ++was;
      for (std::size_t at = was; at < before_.size() && before_[at].begin < piece.end; ++at)
        if (before_[at].member != piece.member)
          moved +=
              workload.cost(std::max(piece.begin, before_[at].begin), std::min(piece.end, before_[at].end));
    }
    before_.swap(now_);
    now_.clear();
    return moved;
  }

private:
  struct Piece {
    std::uint64_t begin, end;
    std::uint32_t member;
  };

  std::vector<Piece> before_; // in their order
  std::vector<Piece> now_;
};

} // namespace wstree::simulate
