// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the members of a program's teams were (programs/placement.cpp), and what is expected of that.
#pragma once

#include "process.h"

#include "cgroup.h"

namespace wstree::test {

using Cpus = std::set<int>;
using Steps = std::vector<std::string>;

inline std::string text_of(const Cpus& cpus) {
  std::string text;
  for (const int cpu : cpus) text += (text.empty() ? "" : ",") + std::to_string(cpu);
  return text;
}

/// A list as the kernel writes it: 0-3,8
inline Cpus cpus_in(const std::string& list) {
  Cpus cpus;
  std::istringstream stream(list);
  for (std::string range; std::getline(stream, range, ',');) {
    const std::size_t dash = range.find('-');
    const int last = std::stoi(range.substr(dash + 1)); // npos + 1 is 0
    for (int cpu = std::stoi(range); cpu <= last; ++cpu) cpus.insert(cpu);
  }
  return cpus;
}

inline Cpus own_cpus() {
  for (const std::string& line : lines_of(contents_of("/proc/self/status")))
    if (line.starts_with("Cpus_allowed_list:")) return cpus_in(line.substr(line.find_last_of(" \t") + 1));
  return {};
}

/// Cores that have CPUs in `mask`; each is named by its first CPU.
inline Cpus cores_of(const Cpus& mask) {
  Cpus cores;
  for (const int cpu : mask) {
    const auto siblings = lines_of(
        contents_of("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list"));
    cores.insert(siblings.empty() ? cpu : *cpus_in(siblings.front()).begin());
  }
  return cores;
}

inline bool inside(const Cpus& inner, const Cpus& outer) {
  return !inner.empty() && std::includes(outer.begin(), outer.end(), inner.begin(), inner.end());
}

/// The worker's CPUs as a display shows them: 3 or 2-3 or 0,2.
inline std::string shown(const Cpus& cpus) {
  std::string text;
  for (auto each = cpus.begin(); each != cpus.end();) {
    auto last = each;
    while (std::next(last) != cpus.end() && *std::next(last) == *last + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(*each);
    if (last != each) text += "-" + std::to_string(*last);
    each = std::next(last);
  }
  return text;
}

/// Whether control groups grant less processor time than a CPU for each of `members`.
inline bool has_too_small_a_quota(int members) {
  const std::uint64_t time = place::find_quota("").time;
  return time != 0 && time < static_cast<std::uint64_t>(members) * place::k_whole_cpu;
}

/// A member in a region; or the opener after it, then `members` is 0.
struct Placed {
  int process = 0, root = 0, region = 0, level = 1, member = 0, members = 0, tid = 0, cpu = -1;
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

  /// Members of the first root's region.
  [[nodiscard]] std::vector<Placed> in(int region) const {
    std::vector<Placed> result;
    for (const Placed& each : placed)
      if (each.root == 0 && each.region == region && each.members > 0) result.push_back(each);
    return result;
  }
  [[nodiscard]] std::string text() const { return outcome.text(); }
  [[nodiscard]] std::string at(const Placed& each) const {
    return "region " + std::to_string(each.region) + ", member " + std::to_string(each.member) + '\n' +
           text();
  }
};

inline Report report_of(const Program& program) {
  Report report{program.run(), {}, {}, {}, false};
  std::size_t right = 0;
  for (const std::string& line : lines_of(report.outcome.out)) { // libomp may have lines of its own
    std::istringstream words(line);
    std::string kind, last;
    Placed row;
    words >> kind;
    if (kind == "row")
      words >> row.process >> row.root >> row.region >> row.level >> row.member >> row.members >> row.tid >>
          row.cpu >> row.ms;
    words >> last;
    if (kind == "end" && last == "right") ++right;
    if (kind != "row" && kind != "start" && kind != "thread") continue;
    row.mask = cpus_in(last);
    if (kind == "row") report.placed.push_back(row);
    if (kind != "row") (kind == "start" ? report.start : report.threads).push_back(row.mask);
  }
  report.complete = report.outcome.succeeded() && right > 0 && right == report.start.size();
  return report;
}

/// The program of a compiler, "" or "_gcc", under the tree with WSTREE_BIND=`bind`; started by another
/// program if there is one: "/usr/bin/taskset -c 0 PROGRAM ...".
inline Program placement(const std::string& compiler, const std::string& bind, const Steps& steps,
                         Steps command = {}) {
  command.push_back(program_path("placement" + compiler));
  command.insert(command.end(), steps.begin(), steps.end());
  return with_tree(command.front(), Steps(command.begin() + 1, command.end())).set("WSTREE_BIND", bind);
}

inline constexpr long k_patience_ms = 200; ///< of auto; before that no thread is pinned
/// Regions until auto has lost its patience.
inline constexpr const char* k_until_decided = "busy=220";

inline std::string team(int members, int regions) {
  return "team=" + std::to_string(members) + "x" + std::to_string(regions);
}

/// Nothing at all happened outside of `allowed`, and the program came to its end.
inline void expect_inside(const Report& report, const Cpus& allowed) {
  EXPECT_TRUE(report.complete) << report.text();
  for (const Placed& each : report.placed)
    EXPECT_TRUE(inside(each.mask, allowed) && allowed.contains(each.cpu)) << report.at(each);
  for (const Cpus& each : report.threads) EXPECT_TRUE(inside(each, allowed)) << report.text();
}

/// Every mask is the one that the process started with.
inline void expect_unpinned(const Report& report) {
  EXPECT_TRUE(report.complete && !report.placed.empty()) << report.text();
  for (const Placed& each : report.placed) EXPECT_EQ(each.mask, report.start.front()) << report.at(each);
  for (const Cpus& each : report.threads) EXPECT_EQ(each, report.start.front()) << report.text();
}

/// Expects that threads which open regions have the mask of the process's start, in their regions and later.
inline void expect_free_openers(const Report& report) {
  for (const Placed& each : report.placed)
    EXPECT_TRUE(each.is_worker() || each.level != 1 || each.mask == report.start.front()) << report.at(each);
}

/// Workers are on different cores of `allowed` in `region`, one core each.
inline void expect_on_own_cores(const Report& report, int region, const Cpus& allowed) {
  Cpus taken;
  int workers = 0;
  for (const Placed& each : report.in(region)) {
    if (!each.is_worker()) continue;
    ++workers;
    EXPECT_TRUE(inside(each.mask, allowed)) << report.at(each);
    const Cpus cores = cores_of(each.mask);
    EXPECT_EQ(cores.size(), 1U) << report.at(each);
    for (const int core : cores)
      EXPECT_TRUE(taken.insert(core).second) << "two workers on one core\n" << report.at(each);
  }
  EXPECT_GT(workers, 0) << report.text();
}

/// Each member of the first root is the same thread with the same mask in all regions from `region` on.
inline void expect_steady(const Report& report, int region) {
  std::map<int, std::pair<int, Cpus>> first;
  for (const Placed& each : report.placed)
    if (each.root == 0 && each.region >= region && each.members > 0) {
      const std::pair now{each.tid, each.mask};
      EXPECT_EQ(first.try_emplace(each.member, now).first->second, now) << report.at(each);
    }
  EXPECT_EQ(first.size(), report.in(region).size()) << report.text();
  EXPECT_FALSE(first.empty()) << report.text();
}

class Placement : public testing::Test {
protected:
  void SetUp() override {
    if (cores_ < 2) GTEST_SKIP() << "one core: there is nowhere else to go";
  }
  const Cpus all_ = own_cpus();
  const int cores_ = static_cast<int>(cores_of(all_).size());
};

} // namespace wstree::test
