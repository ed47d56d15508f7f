// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fixed_text.h"

#include <cstdint>
#include <string_view>

namespace wstree::observe {

/// The fields of a line about a pinned thread. Letters: those of OMP_AFFINITY_FORMAT.
struct AffinityFacts {
  std::uint64_t team_num = 0;         ///< t
  std::uint64_t num_teams = 1;        ///< T
  std::uint64_t nesting_level = 0;    ///< L
  std::uint64_t thread_num = 0;       ///< n
  std::uint64_t num_threads = 1;      ///< N
  std::int64_t ancestor_tnum = -1;    ///< a: number of the thread that opened the region; -1: no region
  std::string_view host;              ///< H
  std::uint64_t process_id = 0;       ///< P
  std::uint64_t native_thread_id = 0; ///< i: as ps and taskset call it
  std::string_view thread_affinity;   ///< A: list of CPUs
};

using HostName = config::FixedText<72>;
/// Fills in the system's facts: process_id, native_thread_id, and host, whose text is kept in `name`.
void add_system_facts(AffinityFacts& facts, HostName& name) noexcept;

using AffinityLine = config::FixedText<1024>;

/// `format` as OMP_AFFINITY_FORMAT has it (OpenMP 5.2, section 21.2.5): %[[0].][width]field with
/// a letter or a {long_name}, and %%. If it is empty, a line of our own. A field that does not exist
/// becomes "undefined".
AffinityLine affinity_line(std::string_view format, const AffinityFacts& facts) noexcept;

} // namespace wstree::observe
