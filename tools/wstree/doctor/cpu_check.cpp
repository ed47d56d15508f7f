// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checks.h"

#include "run/team_choice.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <unistd.h>

namespace wstree::cli {

namespace {

/// Returns the first number of a list like OMP_NUM_THREADS, one for each level of nesting; 0 if it is empty.
unsigned first_number(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t");
  unsigned number = 0;
  if (begin != std::string::npos) std::from_chars(text.data() + begin, text.data() + text.size(), number);
  return number;
}

std::string cpus(unsigned count) { return fmt::format("{} CPU{}", count, count == 1 ? "" : "s"); }
std::string threads(unsigned count) { return fmt::format("{} thread{}", count, count == 1 ? "" : "s"); }

Check check_mask(const CpuFacts& facts, unsigned team) {
  const std::string name = "cpus";
  if (facts.allowed == 0) return {name, Status::note, "the affinity mask cannot be read"};
  const auto found =
      facts.allowed == facts.present
          ? fmt::format("all {} for {}", cpus(facts.allowed), threads(team))
          : fmt::format("{} of {} allowed, for {}", facts.allowed, cpus(facts.present), threads(team));
  if (team > facts.allowed) {
    return {
        name, Status::warn, found, "threads that share a CPU wait for one another",
        fmt::format("set OMP_NUM_THREADS={}, or allow more CPUs (taskset, the batch system)", facts.allowed)};
  }
  if (facts.allowed == 1 && facts.present > 1) {
    return {name, Status::warn, found, "on one CPU there is nothing to balance",
            "allow more CPUs (taskset, the batch system)"};
  }
  if (team == 1) return {name, Status::note, found, "a team of one thread has nothing to share"};
  return {name, Status::ok, found};
}

Check check_quota(const place::Quota& quota, unsigned team) {
  const std::string name = "quota";
  if (quota.time == 0) {
    if (quota.problem.empty()) return {name, Status::ok, "no control group limits the CPU time"};
    return {name, Status::note, fmt::format("{} cannot be read", quota.problem.view()),
            "whether a control group limits the CPU time is not known"};
  }
  const auto found =
      fmt::format("{:g} CPUs for {} ({})", place::cpus_of(quota.time), threads(team), quota.file.view());
  if (quota.time >= team * place::k_whole_cpu) return {name, Status::ok, found};
  const auto whole = static_cast<unsigned>((quota.time + place::k_whole_cpu - 1) / place::k_whole_cpu);
  const std::string cause =
      "the control group stops all threads for the rest of a period once its CPU time is used up";
  if (team <= whole) return {name, Status::note, found, cause};
  return {name, Status::warn, found, cause,
          fmt::format("set OMP_NUM_THREADS={}, or ask for a larger quota", whole)};
}

bool sets_threads(const Environment& environment) {
  const auto value = environment.get(config::text_of(config::Option::threads).name).value_or("");
  return config::parse_threads(value).value_or(false);
}

/// Checks whether the library can make the team smaller by itself; only worth a line if it should be.
Checks check_team(const CpuFacts& facts, const Environment& environment, unsigned team) {
  const auto& found = facts.usable;
  const auto count = found.usable.count;
  if (count == 0 || count >= found.claims.mask) return {};
  const std::string name = "team";
  const auto text = fmt::format("{}; {}", threads(team), reason_for_team(found));
  if (team <= count) return {{name, Status::ok, text}};
  const auto cause =
      fmt::format("at each barrier the members wait for {} that cannot run meanwhile; a team of {} has all "
                  "of its members "
                  "running, does the same work in the same time and waits up to {:.3g} times less",
                  threads(team - count), count, static_cast<double>(team) / count);
  const bool chosen = first_number(environment.get("OMP_NUM_THREADS").value_or("")) != 0;
  return {{name, Status::warn, text, cause,
           chosen ? fmt::format("unset OMP_NUM_THREADS and set WSTREE_THREADS=auto, or set it to {}", count)
                  : std::string("set WSTREE_THREADS=auto, as wstree run does")}};
}

} // namespace

CpuFacts cpu_facts() {
  const long present = ::sysconf(_SC_NPROCESSORS_ONLN);
  return {place::current_mask().count(), present > 0 ? static_cast<unsigned>(present) : 0,
          place::find_quota(), place::find_usable_cpus(environ)};
}

unsigned team_size(const CpuFacts& facts, const Environment& environment) {
  unsigned team = first_number(environment.get("OMP_NUM_THREADS").value_or(""));
  if (team == 0 && sets_threads(environment)) team = facts.usable.usable.count;
  if (team == 0) team = facts.allowed != 0 ? facts.allowed : std::max(1U, facts.present);
  const unsigned limit = first_number(environment.get("OMP_THREAD_LIMIT").value_or(""));
  return limit != 0 ? std::min(team, limit) : team;
}

Checks check_cpus(const CpuFacts& facts, const Environment& environment) {
  const unsigned team = team_size(facts, environment);
  Checks checks{check_mask(facts, team), check_quota(facts.quota, team)};
  for (auto& check : check_team(facts, environment, team)) checks.push_back(std::move(check));
  return checks;
}

} // namespace wstree::cli
