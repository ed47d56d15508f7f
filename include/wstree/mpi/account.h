// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a rank has done in the loops of a communicator.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// Loops of one label.
struct LoopAccount {
  std::uint64_t executions = 0;
  std::uint64_t pieces = 0;
  std::uint64_t units = 0;
  double working = 0;                                 // seconds in pieces
  double looking = 0;                                 // seconds of looking for work, and waiting
  std::map<std::uint32_t, std::uint64_t> stolen_from; // steals from each rank
};

/// Printed, if WSTREE_STATS asks for statistics, when the words of the communicator are freed.
class Account {
public:
  LoopAccount& of(const char* label) { return loops_[label != nullptr ? label : "(no label)"]; }

  void print(int rank, int ranks) const {
    const char* wanted = std::getenv("WSTREE_STATS");
    if (wanted == nullptr || *wanted == '\0' || std::string(wanted) == "0") return;
    std::string text;
    for (const auto& [label, loop] : loops_) {
      char line[400];
      std::snprintf(line, sizeof line,
                    "wstree: rank %d of %d, loop %s: %llu executions, %llu pieces, %llu units, %.3f s work, "
                    "%.3f s looking for work; steals:",
                    rank, ranks, label.c_str(), static_cast<unsigned long long>(loop.executions),
                    static_cast<unsigned long long>(loop.pieces), static_cast<unsigned long long>(loop.units),
                    loop.working, loop.looking);
      text += line;
      for (const auto& [victim, steals] : loop.stolen_from)
        text += " " + std::to_string(steals) + " from rank " + std::to_string(victim) + ",";
      if (loop.stolen_from.empty()) text += " none,";
      text.back() = '\n';
    }
    std::fputs(text.c_str(), stderr);
  }

private:
  std::map<std::string, LoopAccount> loops_;
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
