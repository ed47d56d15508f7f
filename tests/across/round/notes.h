// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the members of a region have been given, and what is wrong with that.
#pragma once

#include "sequence.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wstree::round {

struct Piece {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t loop = 0; ///< place in the region
  bool last = false;
};

/// What the last member to leave a measured loop was told.
struct Report {
  std::uint32_t loop = 0;
  std::uint32_t members = 0;
  std::uint64_t iterations = 0;
  std::uint64_t batches = 0;
};

/// Of one member in one region.
struct Notes {
  std::uint32_t came = 0; ///< to so many loops
  std::vector<Piece> pieces;
  std::vector<Report> reports;
  std::vector<std::uint32_t> stopped; ///< loops in which it asked for no more
  std::vector<std::uint32_t> drained; ///< loops in which it was told that there is no more
  std::uint32_t ended = k_never;      ///< loop that it could not start because the ring had ended
  std::string violation;              ///< what it noticed itself

  static constexpr std::uint32_t k_never = ~std::uint32_t{0};
  void clear() {
    came = 0;
    pieces.clear();
    reports.clear();
    stopped.clear();
    drained.clear();
    ended = k_never;
    violation.clear();
  }
};

/// Every iteration once, one "last", nothing for its member afterwards, one report of what all have left. A
/// ring that ends does so at one loop for all members.
class Checks {
public:
  /// What went wrong, or nothing. `keeper` has come to all loops and was never the first to stop.
  std::string find_fault(const Sequence& sequence, const Region& region, const std::vector<Notes>& notes);

private:
  struct Seen {
    std::uint64_t handed_out = 0;
    std::uint64_t pieces = 0;
    std::uint32_t lasts = 0;
    std::uint32_t came = 0;
    std::uint32_t stopped = 0;
    std::uint32_t drained = 0;
    std::uint32_t reports = 0;
    Report report;
    std::size_t first = 0; ///< of its iterations in hits_
  };

  void prepare(const Region& region);
  std::string collect(const Region& region, const Notes& notes, std::uint32_t member);
  std::string judge(const Sequence& sequence, const Region& region, std::uint32_t loop) const;

  std::vector<Seen> seen_; // by loop
  std::vector<std::uint8_t> hits_;
};

} // namespace wstree::round
