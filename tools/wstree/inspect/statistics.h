// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "names.h"
#include "support/terminal.h"

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

/// A loop of a report that the library wrote with WSTREE_STATS=json.
struct LoopRow {
  std::string name; ///< "solver.c:120 assemble()", or what else is known
  std::string schedule;
  std::uint64_t calls = 0, iterations = 0, batches = 0, steals = 0;
  double seconds = 0;
  double imbalance = 1; ///< says nothing if it is too short to tell
  double even_saves = 0;
  bool too_short = false;
  std::uint64_t chunk = 1; ///< iterations that are handed out as a whole
  double late = 0;         ///< seconds that the mean thread came after the first one
};

/// Executions have fewer chunks than this for each thread.
inline constexpr std::uint64_t k_few_chunks = 4;
/// Whether so few whole chunks are handed out that no schedule can make the loop even.
bool has_few_chunks(std::uint64_t chunk, std::uint64_t iterations, std::uint64_t calls,
                    std::uint64_t threads);

struct Statistics {
  std::string version, program;
  std::uint64_t process = 0, threads = 0;
  std::string rank; ///< of an MPI job, "0" in all other processes; empty: the file is older
  std::vector<LoopRow> loops;
};

/// Where a loop is: by the place that the compiler gave to the runtime, or by debug information.
names::Name name_of_loop(const nlohmann::json& loop, names::Resolver& resolver);
/// The name of a loop in the library's traces and profiles: its label, or the place where it is.
std::string name_in_traces(const nlohmann::json& loop);
/// As name_of_loop(), in one line; the label if there is one, and the library's own words if nothing better
/// is known.
std::string loop_text(const nlohmann::json& loop, const names::Name& name);

/// Nothing if it is no report.
std::optional<Statistics> read_statistics(std::string_view report, names::Resolver& resolver);

/// The first of the members that is a number below 0, for the user: "loops[2].seconds is -1, and ..."; empty:
/// there is none. `place`: of the object, with what separates it from a member.
std::string negative_member(const nlohmann::json& object, std::string_view place,
                            std::initializer_list<const char*> members);
/// The same of a report that the library wrote and a user may have edited.
std::string negative_figure(const nlohmann::json& report);

/// For people. With `several` the process is named.
std::string statistics_text(const Statistics& statistics, const Terminal& terminal, bool several);

} // namespace wstree::cli
