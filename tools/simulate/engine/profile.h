// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recorded loops: the costs of the iterations of a real program's loops (WSTREE_RECORD,
// runtime/observe/recording.h, where the format is described).
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <variant>
#include <vector>

namespace wstree::simulate {

/// Neighbouring iterations and the time that they took together.
struct Piece {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  double ns = 0;
};

struct RecordedExecution {
  double elapsed_ns = 0; ///< from the first arrival to the last departure
  std::uint32_t members = 0;
  std::vector<Piece> pieces; ///< sorted, disjoint, covering [0, iterations of the loop)
};

struct RecordedLoop {
  std::string name;             ///< as WSTREE_STATS names it
  std::string schedule;         ///< which recorded it, likewise
  std::uint64_t iterations = 0; ///< iterations of each of `executions`; at least 1
  std::uint64_t chunk = 1;      ///< iterations that are handed out as a whole: the chunk in the source
  std::uint64_t executions_seen = 0;
  double total_ns = 0;                       ///< work in all executions that were seen
  std::vector<RecordedExecution> executions; ///< at least one; those that were kept
};

/// Returns the loops, those with most work first; or one line with the error and the line number. A profile
/// without loops is wrong too, unless it `may_be_empty`.
std::variant<std::vector<RecordedLoop>, std::string> read_profile(std::istream& in,
                                                                  bool may_be_empty = false);

} // namespace wstree::simulate
