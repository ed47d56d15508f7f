// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every iteration once, one "last", nothing for its member afterwards, one report of what is measured, and
// all members of one mind. The members only take notes, each for itself, so that the checks bring no order
// into what they check.
#pragma once

#include "plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stress {

struct Piece {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t loop = 0;
  bool last = false;
};

/// What the last member to leave a measured loop was told.
struct Report {
  std::uint32_t loop = 0;
  std::uint32_t members = 0;
  std::uint64_t iterations = 0;
  std::uint64_t batches = 0;
  std::uint64_t steals = 0;
};

enum class Entered : std::uint8_t {
  refused, ///< there is no memory
  served,
  drained, ///< and was told that there is no more, not having had the last iteration
};

/// One member's notes of one region.
struct Notes {
  std::vector<Piece> pieces;
  std::vector<Report> reports;
  std::vector<Entered> entered; ///< by loop, for loops that it has come to
  std::string violation;        ///< what the member noticed itself
  std::uint32_t violation_loop = 0;

  void clear() {
    pieces.clear();
    reports.clear();
    entered.clear();
    violation.clear();
  }
};

struct Totals {
  std::uint64_t regions = 0;
  std::uint64_t loops = 0;
  std::uint64_t refused = 0;    ///< loops that were not served, for lack of memory
  std::uint64_t iterations = 0; ///< but those of huge loops
  std::uint64_t pieces = 0;
  std::uint64_t steals = 0; ///< in measured loops
  void add(const Totals& other);
};

/// What went wrong in a region, or nothing. `notes` has one element per member.
class Oracle {
public:
  std::optional<std::string> check(const RegionPlan& plan, const std::vector<Notes>& notes, Totals& totals);

private:
  void collect(const RegionPlan& plan, const std::vector<Notes>& notes, std::uint32_t loop);
  std::string check_served(const RegionPlan& plan, const std::vector<Notes>& notes, std::uint32_t loop) const;
  std::string check_pieces(const LoopPlan& loop, bool complete);
  std::string check_reports(const RegionPlan& plan, std::uint32_t loop, Totals& totals) const;
  static std::string story(const RegionPlan& plan, const std::vector<Notes>& notes, std::uint32_t loop,
                           const std::string& what);

  std::vector<std::size_t> next_;            // by member, in its pieces
  std::vector<Piece> seen_;                  // of the present loop, in ascending order
  std::vector<std::vector<Report>> reports_; // by loop
};

} // namespace stress
