// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the members of a program's teams were (programs/placement.cpp), and what is expected of that.
#pragma once

#include "process.h"

namespace wstree::test {

using Cpus = std::set<int>;

std::string text_of(const Cpus& cpus); ///< 0,2,3
/// The CPUs that this process may use, and all CPUs of the core that `cpu` belongs to.
Cpus own_cpus();
Cpus core_of(int cpu);
/// Cores that have CPUs in `mask`; each is named by its first CPU.
Cpus cores_of(const Cpus& mask);
bool inside(const Cpus& inner, const Cpus& outer);
/// Whether control groups grant less processor time than a CPU for each of `members`.
bool has_too_small_a_quota(int members);

/// A member in a region; or the opener after it, then `members` is 0.
struct Placed {
  int process = 0, root = 0, region = 0, level = 1, outer = 0, member = 0, members = 0;
  int tid = 0, cpu = -1;
  long ms = 0; ///< since before the first region
  Cpus mask;

  [[nodiscard]] bool is_worker() const { return members > 0 && member > 0; }
};

struct Report {
  Outcome outcome;
  std::vector<Cpus> start;    ///< of each process
  std::vector<Placed> placed; ///< members and openers
  std::vector<Cpus> threads;  ///< of all threads at the end
  bool complete = false;      ///< every process came to its end, and no iteration was lost

  [[nodiscard]] std::vector<Placed> in(int root, int region, int process = 0) const;
  /// What a failure message needs.
  [[nodiscard]] std::string text() const { return outcome.text(); }
};

Report report_of(const Program& program);

/// programs/placement.cpp of a compiler, "" or "_gcc", preloaded under the tree with WSTREE_BIND=`bind`.
Program placement(const std::string& compiler, const std::string& bind, std::vector<std::string> steps);
/// The same without the library.
Program native_placement(const std::string& compiler, std::vector<std::string> steps);
/// `program` as another program starts it: "/usr/bin/taskset -c 0 PROGRAM ...". The environment is
/// placement()'s.
Program placement_below(std::vector<std::string> launcher, const std::string& compiler,
                        const std::string& bind, const std::vector<std::string>& steps);

constexpr long k_patience_ms = 200; ///< of auto; before that no thread is pinned
/// Regions until auto has lost its patience.
constexpr const char* k_until_decided = "busy=220";
/// "team=PxN"
std::string team(int members, int regions);

/// Nothing at all happened outside of `allowed`, and the program came to its end.
void expect_inside(const Report& report, const Cpus& allowed);
/// Every mask is the one that the process started with.
void expect_unpinned(const Report& report);
/// Expects that threads which open regions have the mask of the process's start, in their regions and later.
void expect_free_openers(const Report& report);
/// Workers are on different cores of `allowed` in `region`, one core each.
void expect_on_own_cores(const Report& report, int region, const Cpus& allowed);
/// Each member of `root` is the same thread with the same mask in all regions from `region` on.
void expect_steady(const Report& report, int root, int region);

} // namespace wstree::test
