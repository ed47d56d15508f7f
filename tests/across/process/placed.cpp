// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "placed.h"

#include "cgroup.h"

namespace wstree::test {
namespace {

using Mask = std::array<cpu_set_t, 16>;

/// A list as the kernel writes it: 0-3,8
Cpus cpus_in(const std::string& list) {
  Cpus cpus;
  std::istringstream stream(list);
  for (std::string range; std::getline(stream, range, ',');) {
    const std::size_t dash = range.find('-');
    const int first = std::stoi(range);
    const int last = dash == std::string::npos ? first : std::stoi(range.substr(dash + 1));
    for (int cpu = first; cpu <= last; ++cpu) cpus.insert(cpu);
  }
  return cpus;
}

using Facts = std::map<std::string, std::string>;

/// The KEY=VALUE words of a line.
Facts facts_of(const std::string& line) {
  Facts facts;
  std::istringstream words(line);
  for (std::string word; words >> word;)
    if (const std::size_t at = word.find('='); at != std::string::npos)
      facts[word.substr(0, at)] = word.substr(at + 1);
  return facts;
}

int number(const Facts& facts, const std::string& key) {
  const auto found = facts.find(key);
  return found == facts.end() ? 0 : std::stoi(found->second);
}

Placed placed_of(const Facts& facts) {
  Placed each;
  each.process = number(facts, "process");
  each.root = number(facts, "root");
  each.region = number(facts, "region");
  each.level = number(facts, "level");
  each.outer = number(facts, "outer");
  each.member = number(facts, "member");
  each.members = number(facts, "members");
  each.tid = number(facts, "tid");
  each.cpu = number(facts, "cpu");
  each.ms = number(facts, "ms");
  each.mask = cpus_in(facts.at("mask"));
  return each;
}

std::string where(const Placed& each) {
  std::ostringstream text;
  text << "process " << each.process << ", root " << each.root << ", region " << each.region << ", level "
       << each.level << ", member " << each.member << " of " << each.members << ": mask "
       << text_of(each.mask) << ", cpu " << each.cpu << ", after " << each.ms << " ms\n";
  return text.str();
}

} // namespace

std::string text_of(const Cpus& cpus) {
  std::string text;
  for (const int cpu : cpus) text += (text.empty() ? "" : ",") + std::to_string(cpu);
  return text;
}

Cpus own_cpus() {
  Mask mask{};
  Cpus cpus;
  if (sched_getaffinity(0, sizeof mask, mask.data()) != 0) return cpus;
  for (int cpu = 0; cpu < static_cast<int>(sizeof mask * 8); ++cpu)
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), sizeof mask, mask.data())) cpus.insert(cpu);
  return cpus;
}

Cpus core_of(int cpu) {
  const std::string path =
      "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list";
  const std::vector<std::string> lines = lines_of(contents_of(path));
  return lines.empty() ? Cpus{cpu} : cpus_in(lines.front());
}

Cpus cores_of(const Cpus& mask) {
  Cpus cores;
  for (const int cpu : mask) cores.insert(*core_of(cpu).begin());
  return cores;
}

bool inside(const Cpus& inner, const Cpus& outer) {
  return !inner.empty() && std::includes(outer.begin(), outer.end(), inner.begin(), inner.end());
}

bool has_too_small_a_quota(int members) {
  const std::uint64_t time = place::find_quota("").time;
  return time != 0 && time < static_cast<std::uint64_t>(members) * place::k_whole_cpu;
}

std::vector<Placed> Report::in(int root, int region, int process) const {
  std::vector<Placed> result;
  for (const Placed& each : placed)
    if (each.root == root && each.region == region && each.process == process && each.members > 0)
      result.push_back(each);
  return result;
}

Report report_of(const Program& program) {
  Report report;
  report.outcome = program.run();
  std::size_t ends = 0;
  bool right = true;
  for (const std::string& line : lines_of(report.outcome.out)) {
    const std::string kind = line.substr(0, line.find(' '));
    const Facts facts = facts_of(line);
    if (kind == "start") report.start.push_back(cpus_in(facts.at("mask")));
    if (kind == "row" || kind == "after") report.placed.push_back(placed_of(facts));
    if (kind == "thread") report.threads.push_back(cpus_in(facts.at("mask")));
    if (kind == "sum") {
      ++ends;
      right = right && number(facts, "right") == 1;
    }
  }
  report.complete = report.outcome.succeeded() && right && ends > 0 && ends == report.start.size();
  return report;
}

Program native_placement(const std::string& compiler, std::vector<std::string> steps) {
  return Program("placement" + compiler, std::move(steps)).set("OMP_SCHEDULE", "dynamic");
}

Program placement(const std::string& compiler, const std::string& bind, std::vector<std::string> steps) {
  Program program = with_tree("placement" + compiler, std::move(steps));
  return program.set("WSTREE_BIND", bind);
}

Program placement_below(std::vector<std::string> launcher, const std::string& compiler,
                        const std::string& bind, const std::vector<std::string>& steps) {
  const std::string first = launcher.front();
  launcher.erase(launcher.begin());
  launcher.push_back(program_path("placement" + compiler));
  launcher.insert(launcher.end(), steps.begin(), steps.end());
  return with_tree(first, launcher).set("WSTREE_BIND", bind);
}

std::string team(int members, int regions) {
  return "team=" + std::to_string(members) + "x" + std::to_string(regions);
}

// --- expectations

void expect_inside(const Report& report, const Cpus& allowed) {
  EXPECT_TRUE(report.complete) << report.text();
  for (const Placed& each : report.placed) {
    EXPECT_TRUE(inside(each.mask, allowed)) << where(each) << report.text();
    if (each.members > 0) {
      EXPECT_TRUE(allowed.contains(each.cpu)) << where(each) << report.text();
    }
  }
  for (const Cpus& each : report.threads) EXPECT_TRUE(inside(each, allowed)) << report.text();
}

void expect_unpinned(const Report& report) {
  EXPECT_TRUE(report.complete) << report.text();
  for (const Placed& each : report.placed)
    EXPECT_EQ(each.mask, report.start.front()) << where(each) << report.text();
  for (const Cpus& each : report.threads) EXPECT_EQ(each, report.start.front()) << report.text();
}

void expect_free_openers(const Report& report) {
  for (const Placed& each : report.placed)
    if (!each.is_worker() && each.level == 1) {
      EXPECT_EQ(each.mask, report.start.front()) << where(each) << report.text();
    }
}

void expect_on_own_cores(const Report& report, int region, const Cpus& allowed) {
  Cpus taken;
  int workers = 0;
  for (const Placed& each : report.in(0, region)) {
    if (!each.is_worker()) continue;
    ++workers;
    EXPECT_TRUE(inside(each.mask, allowed)) << where(each) << report.text();
    const Cpus cores = cores_of(each.mask);
    EXPECT_EQ(cores.size(), 1U) << where(each) << report.text();
    for (const int core : cores)
      EXPECT_TRUE(taken.insert(core).second) << "two workers on one core\n" << where(each) << report.text();
  }
  EXPECT_GT(workers, 0) << report.text();
}

void expect_steady(const Report& report, int root, int region) {
  const std::vector<Placed> first = report.in(root, region);
  EXPECT_FALSE(first.empty()) << report.text();
  for (const Placed& each : report.placed) {
    if (each.root != root || each.region < region || each.members == 0) continue;
    const auto same = std::find_if(first.begin(), first.end(),
                                   [&](const Placed& one) { return one.member == each.member; });
    ASSERT_NE(same, first.end()) << where(each);
    EXPECT_EQ(each.tid, same->tid) << where(each) << report.text();
    EXPECT_EQ(each.mask, same->mask) << where(each) << report.text();
  }
}

} // namespace wstree::test
