// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unequal.h"

#include "machine_text.h"
#include "on_all_cpus.h"
#include "support/table.h"
#include "support/user_text.h"

#include "greedy.h"
#include "machines.h"
#include "simulate.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

using simulate::k_ns;
using simulate::MachineSpec;
using simulate::Time;
using simulate::Workload;

constexpr const char* k_beside =
    "wstree,tbb_auto,aid_static,aid_hybrid,aid_dynamic,static_steal,guided,dynamic";
constexpr std::uint64_t k_sizes[] = {64, 1'000, 100'000};
constexpr std::uint64_t k_long = 10'000;  // loops of more iterations take long to simulate,
constexpr std::uint32_t k_few_rounds = 5; // and fewer rounds have to do
constexpr std::uint32_t k_fast = 750;     // thousandths of the fastest core that a fast one has at least

double ratio_of(const UnequalPlan& plan, const Workload& loop, const MachineSpec& machine,
                std::uint32_t members, const simulate::Schedule& schedule, Time ideal) {
  simulate::Job job;
  job.workload = &loop;
  job.schedule = schedule;
  job.members = members;
  job.machine = machine;
  job.seed = plan.seed;
  job.rounds = loop.iterations() > k_long ? std::min(plan.rounds, k_few_rounds) : plan.rounds;
  job.workload_of = [&](std::uint32_t) -> const Workload& { return loop; }; // members know the place
  const auto time = simulate::median(simulate::simulate(job)).time;
  return static_cast<double>(time) / static_cast<double>(ideal);
}

MachineSpec fast_cores(const MachineSpec& machine, std::uint32_t cores, std::uint32_t& members) {
  std::uint32_t fastest = 0;
  for (std::uint32_t m = 0; m < cores; ++m) fastest = std::max(fastest, machine.speed(m));
  MachineSpec fast = machine;
  fast.speeds.clear();
  for (std::uint32_t m = 0; m < cores; ++m)
    if (machine.speed(m) * 1'000 >= k_fast * fastest) fast.speeds.push_back(machine.speed(m));
  members = static_cast<std::uint32_t>(fast.speeds.size());
  return fast;
}

std::string number(double value) { return fmt::format("{:.3f}", value); }

} // namespace

std::optional<std::string> make_unequal_plan(const SimulateRequest& request, UnequalPlan& plan) {
  if (request.machine) {
    ChosenMachine chosen;
    if (auto problem = parse_machine(*request.machine, chosen)) return problem;
    plan.machines = {chosen.spec};
    plan.cores = {chosen.cores != 0 ? chosen.cores : static_cast<std::uint32_t>(chosen.spec.speeds.size())};
    if (plan.cores.front() < 2)
      return fmt::format("--machine '{}' says of no cores how fast they are (speeds=...)", *request.machine);
  } else {
    for (const auto& known : simulate::unequal_machines()) {
      plan.machines.push_back(*simulate::machine_named(known.name));
      plan.cores.push_back(known.cores);
    }
  }
  for (const auto& name :
       request.workloads == "all" ? std::vector<std::string>{} : parts_of(request.workloads, ',')) {
    if (!simulate::make_workload(name, 2, 2))
      return fmt::format("--workload '{}' is not understood (accepted: all, or a list of {})", name,
                         fmt::join(simulate::shape_names(), ", "));
    plan.shapes.push_back(name);
  }
  if (plan.shapes.empty())
    for (const auto name : simulate::shape_names()) plan.shapes.emplace_back(name);
  plan.iterations.assign(std::begin(k_sizes), std::end(k_sizes));
  plan.work_ms = request.work_ms;
  plan.seed = request.seed;
  plan.rounds = std::max(request.rounds, plan.rounds);
  return take_schedules(request.schedules.value_or(k_beside), plan.schedules);
}

std::vector<UnequalRow> unequal_rows(const UnequalPlan& plan, const std::function<bool()>& stop) {
  std::vector<UnequalRow> rows;
  for (std::size_t i = 0; i < plan.iterations.size(); ++i)
    for (std::size_t m = 0; m < plan.machines.size(); ++m)
      for (std::size_t s = 0; s < plan.shapes.size(); ++s) rows.push_back({m, s, i, {}, 0, 0});
  std::atomic<bool> stopped = false; // relaxed: it decides only whether more is computed
  const auto work = static_cast<Time>(std::llround(plan.work_ms * 1e6)) * k_ns;
  // The last ones first: they take longest.
  for_each_on_all_cpus(rows.size(), [&](std::size_t at) {
    if (stopped.load(std::memory_order_relaxed)) return;
    if (stop()) return stopped.store(true, std::memory_order_relaxed);
    UnequalRow& row = rows[rows.size() - 1 - at];
    const auto& machine = plan.machines[row.machine];
    const std::uint32_t cores = plan.cores[row.machine];
    const Workload loop =
        *simulate::make_workload(plan.shapes[row.shape], plan.iterations[row.iterations], work);
    const Time ideal = simulate::ideal(loop, cores, machine);
    for (const auto& schedule : plan.schedules)
      row.ratios.push_back(ratio_of(plan, loop, machine, cores, schedule, ideal));
    row.known =
        static_cast<double>(simulate::longest_first(loop, cores, machine)) / static_cast<double>(ideal);
    std::uint32_t few = 0;
    const MachineSpec fast = fast_cores(machine, cores, few);
    row.fast_only = ratio_of(plan, loop, fast, few, plan.schedules.front(), ideal);
  });
  if (stopped) rows.clear();
  return rows;
}

UnequalFigures unequal_figures(const std::vector<UnequalRow>& rows, std::size_t iterations,
                               std::size_t schedule) {
  UnequalFigures figures;
  double logs = 0;
  std::size_t count = 0;
  for (const UnequalRow& row : rows) {
    if (row.iterations != iterations) continue;
    logs += std::log(row.ratios[schedule]);
    figures.worst = std::max(figures.worst, row.ratios[schedule]);
    ++count;
  }
  figures.mean = std::exp(logs / static_cast<double>(std::max<std::size_t>(count, 1)));
  return figures;
}

std::string unequal_text(const UnequalPlan& plan, const std::vector<UnequalRow>& rows) {
  auto out =
      fmt::format("{:g} ms of work on a core of full speed, median of {} rounds; time / ideal, ideal is "
                  "max(work / all speeds, longest iteration on the fastest core)\nfast only: {} on the cores "
                  "that have {} % of the fastest core's speed or more; costs known: by a list of all "
                  "iterations, the dearest first\n",
                  plan.work_ms, plan.rounds, name_of(plan.schedules.front()), k_fast / 10);
  for (std::size_t i = 0; i < plan.iterations.size(); ++i) {
    Table table;
    Table::Row line{fmt::format("{} iterations", with_commas(plan.iterations[i])), ""};
    for (const auto& schedule : plan.schedules) line.push_back(name_of(schedule));
    line.emplace_back("fast only");
    line.emplace_back("costs known");
    table.add(line);
    std::vector<double> most(plan.schedules.size() + 2);
    for (const UnequalRow& row : rows) {
      if (row.iterations != i) continue;
      line = {plan.machines[row.machine].name, plan.shapes[row.shape]};
      auto others = row.ratios;
      others.push_back(row.fast_only);
      others.push_back(row.known);
      for (std::size_t s = 0; s < others.size(); ++s) {
        line.push_back(number(others[s]));
        most[s] = std::max(most[s], row.ratios.front() / others[s]);
      }
      table.add(line);
    }
    line = {"geometric mean", ""};
    for (std::size_t s = 0; s < plan.schedules.size(); ++s)
      line.push_back(number(unequal_figures(rows, i, s).mean));
    table.add(line);
    line = {"worst", ""};
    for (std::size_t s = 0; s < plan.schedules.size(); ++s)
      line.push_back(number(unequal_figures(rows, i, s).worst));
    table.add(line);
    line = {fmt::format("{} / this, worst row", name_of(plan.schedules.front())), ""};
    for (const double ratio : most) line.push_back(number(ratio));
    table.add(line);
    out += '\n' + table.text();
  }
  return out;
}

} // namespace wstree::cli
