// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports of processes about loops that MPI ranks share (<wstree/mpi.hpp>).
#pragma once

#include "support/terminal.h"

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace wstree::cli {

/// Figures of one rank in the loops of one name.
struct RankFigures {
  struct Stolen {
    std::uint64_t steals = 0, iterations = 0;
  };
  std::uint64_t executions = 0, iterations = 0, pieces = 0, operations = 0;
  double work = 0, looking = 0;           ///< seconds in pieces, and between them
  double stealing = 0;                    ///< seconds in steals, part of `looking`
  double on_steal = 0;                    ///< and in the program's function of that name
  std::map<std::uint64_t, Stolen> stolen; ///< by victim
};

struct RankLoop {
  std::string name;
  std::map<std::uint64_t, RankFigures> ranks;
  double executions = 0; ///< each rank reports its part: of a loop on two ranks, one half
};

/// Adds the figures of one process; loops of one name are one.
void add_rank_loops(const nlohmann::json& report, std::vector<RankLoop>& loops);

/// As negative_figure(), of these loops.
std::string negative_rank_figure(const nlohmann::json& report);

/// Returns a table for each loop; empty where there are none.
std::string rank_loops_text(const std::vector<RankLoop>& loops, const Terminal& terminal);

} // namespace wstree::cli
