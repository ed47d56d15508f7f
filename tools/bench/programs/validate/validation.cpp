// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "validation.h"

#include "measure/omp_calls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace wstree::validation {

namespace {

using core::Model;
using simulate::k_ns;
using simulate::Peer;
using simulate::Schedule;
using simulate::Time;

Time to_time(double ns) {
  return static_cast<Time>(std::llround(std::max(0.0, ns) * static_cast<double>(k_ns)));
}

constexpr std::array k_of_runtimes{
    Candidate{"static", {Peer::static_, 0}, "libomp"},
    Candidate{"dyn1", {Peer::dynamic, 1}, "libomp"},
    Candidate{"dyn64", {Peer::dynamic, 64}, "libomp"},
    Candidate{"guided", {Peer::guided, 1}, "libomp"},
    Candidate{"trapez", {Peer::trapezoidal, 1}, "libomp"},
    Candidate{"steal1", {Peer::static_steal, 1}, "libomp"},
    Candidate{"steal64", {Peer::static_steal, 64}, "libomp"},
    Candidate{"static", {Peer::static_, 0}, "libgomp"},
    Candidate{"dyn1", {Peer::dynamic, 1}, "libgomp"},
    Candidate{"dyn64", {Peer::dynamic, 64}, "libgomp"},
    Candidate{"guided", {Peer::gomp_guided, 1}, "libgomp"},
};

/// Returns ns of a pass: the median of some loops, times the number of loops.
double predicted_ns(const LoopCosts& loop, const simulate::Workload& workload, Schedule schedule,
                    std::uint32_t threads, const simulate::MachineSpec& machine) {
  simulate::Job job;
  job.workload = &workload;
  // The library gives a loop to a team of one in one piece (runtime/loop/member.h).
  job.schedule = threads == 1 ? Schedule{Model::static_, 0} : schedule;
  job.members = threads;
  job.machine = machine;
  job.rounds = loop.iterations > 1'000'000 ? 1 : loop.loops > 1 ? 101 : 5;
  const auto rounds = simulate::simulate(job);
  return static_cast<double>(simulate::median(rounds).time) / static_cast<double>(k_ns) *
         static_cast<double>(loop.loops);
}

} // namespace

std::vector<Candidate> candidates(std::string_view runtime) {
  std::vector<Candidate> made;
  for (const bench::OwnSchedule& own : bench::own_schedules(""))
    made.push_back(
        {own.name,
         {static_cast<Model>(own.kind - bench::k_first_own), static_cast<std::uint32_t>(own.chunk)}});
  for (const Candidate& candidate : k_of_runtimes)
    if (candidate.runtime == runtime) made.push_back(candidate);
  return made;
}

simulate::MachineSpec machine_for(const simulate::Calibration& here, const RuntimeCosts& runtime,
                                  const LoopCosts& loop, std::uint32_t threads, bool own) {
  simulate::MachineSpec machine;
  machine.name = "here";
  // A team as small as those that are measured is as far apart as its nearest CPUs.
  machine.levels.clear();
  if (!here.transfer_ns.empty()) machine.across = to_time(here.transfer_ns.front());
  machine.prices.hit = to_time(here.hit_ns);
  machine.prices.rmw = to_time(here.rmw_ns);
  machine.prices.claim = to_time(here.claim_ns);
  machine.prices.fault = to_time(here.fault_ns);
  machine.tick = to_time(here.tick_ns);
  if (threads == 1) {
    machine.region = to_time(runtime.alone_ns); // with its loop
    machine.dispatch = machine.enter = machine.skew = 0;
    return machine;
  }
  machine.region = to_time(runtime.open_ns + runtime.close_ns);
  // Arrivals are uniform in it, so that their mean is the measured one.
  machine.skew = to_time(2 * runtime.late_ns);
  const CallCosts& calls = own ? runtime.own : runtime.library;
  machine.enter = to_time(calls.enter_ns);
  // The call's read-modify-write is charged apart. The body begins anew with each chunk.
  machine.dispatch = to_time(calls.next_ns - here.rmw_ns + loop.start_ns);
  return machine;
}

simulate::Workload workload_of(const LoopCosts& loop, const RuntimeCosts& runtime, double sequential_ns) {
  const double once = sequential_ns / static_cast<double>(loop.loops);
  const double work = std::max(once - runtime.alone_ns, once / 10);
  double all = 0;
  for (const double ns : loop.pieces_ns) all += ns;
  std::vector<simulate::Stretch> stretches;
  std::uint64_t left = loop.iterations;
  for (const double ns : loop.pieces_ns) {
    const std::uint64_t length = std::min(left, loop.piece);
    stretches.push_back({length, to_time(ns / all * work)});
    left -= length;
  }
  return {loop.name, stretches};
}

std::vector<Row> compare(const Costs& costs, const Measured& measured, std::uint32_t threads,
                         const simulate::Calibration& here) {
  std::vector<Row> rows;
  for (const LoopCosts& loop : costs.loops) {
    const auto sequential = measured.sequential.find(loop.name);
    if (sequential == measured.sequential.end()) continue;
    const auto workload = workload_of(loop, costs.runtime, sequential->second);
    const double longest =
        static_cast<double>(workload.longest()) / static_cast<double>(k_ns) * static_cast<double>(loop.loops);
    const double ideal = std::max(sequential->second / threads, longest);
    for (const Candidate& candidate : candidates(measured.runtime)) {
      const auto found = measured.parallel.find(std::pair(loop.name, std::string(candidate.name)));
      if (found == measured.parallel.end()) continue;
      const auto machine = machine_for(here, costs.runtime, loop, threads, !candidate.runtime.empty());
      rows.push_back({loop.name, std::string(candidate.name), threads, ideal, found->second,
                      predicted_ns(loop, workload, candidate.schedule, threads, machine)});
    }
  }
  return rows;
}

std::vector<Summary> summaries(const std::vector<Row>& rows) {
  std::vector<Summary> made;
  std::vector<std::vector<double>> errors;
  for (const Row& row : rows) {
    auto at = std::ranges::find_if(made, [&](const Summary& summary) {
      return summary.schedule == row.schedule && summary.threads == row.threads;
    });
    if (at == made.end()) {
      made.push_back({row.schedule, row.threads, 0, 0, 0, ""});
      errors.emplace_back();
      at = made.end() - 1;
    }
    const double error = std::abs(row.error());
    errors[static_cast<std::size_t>(at - made.begin())].push_back(error);
    ++at->rows;
    if (at->worst_workload.empty() || error > at->worst) {
      at->worst = error;
      at->worst_workload = row.workload;
    }
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    std::ranges::sort(errors[i]);
    const std::size_t half = errors[i].size() / 2;
    made[i].median =
        errors[i].size() % 2 != 0 ? errors[i][half] : (errors[i][half - 1] + errors[i][half]) / 2;
  }
  return made;
}

} // namespace wstree::validation
