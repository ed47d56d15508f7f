// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checks.h"

#include "places.h"

#include <algorithm>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

using config::Bind;
using place::Reason;

constexpr char k_placement[] = "placement";

std::string not_pinned(Bind bind, std::string_view why) {
  return fmt::format("threads are not pinned ({}: {})", config::to_text(bind), why);
}

Check without_machine(Bind bind, std::string_view why) {
  Check check{k_placement, Status::note, not_pinned(bind, why),
              "the library does not know what the CPUs share, so it pins nothing, and thieves do not look "
              "near first"};
  if (why.find("hwloc") != std::string_view::npos) check.fix = "install hwloc's library (libhwloc15)";
  return check;
}

/// Adds advice about a team that auto leaves alone.
void advise(const place::Decision& decision, Check& check) {
  switch (decision.reason) {
  case Reason::ranks_share_mask:
    check.cause = "each rank would pin its threads to the same CPUs";
    check.fix = "let the launcher bind the ranks (mpirun --bind-to, srun --cpu-bind)";
    break;
  case Reason::quota:
    check.cause = "the control group stops all threads now and then, wherever they are";
    break;
  case Reason::too_many:
    check.cause = "the system places threads that share a CPU better than the library does";
    break;
  case Reason::cores_left:
    check.cause = "the library would pin another program with as few threads to the same cores";
    check.fix = "set WSTREE_BIND=close or spread if the program has the machine to itself";
    break;
  case Reason::asked:
  case Reason::fits:
  case Reason::off:
  case Reason::alone:
  case Reason::user_placed:
    return;
  }
  check.status = Status::note;
}

/// Returns the CPUs to which the OpenMP runtime binds threads by `variable`; empty: not known.
place::CpuSet bound_cpus(const place::Machine& machine, std::string_view variable, const std::string& value,
                         const std::string& bind) {
  place::CpuSet cpus;
  if (variable == "GOMP_CPU_AFFINITY") {
    auto list = value; // numbers and ranges, between blanks or commas
    std::ranges::replace(list, ' ', ',');
    return place::parse_cpu_list(list).value_or(cpus);
  }
  std::string_view why;
  const auto places = place::Places::parse(machine, value.empty() ? "cores" : value, why);
  if (places == nullptr) return cpus;
  const bool is_first_alone = bind == "master" || bind == "primary";
  for (std::uint32_t p = 0; p < (is_first_alone ? 1 : places->count()); ++p)
    cpus.add(places->mask(machine, p));
  return cpus;
}

} // namespace

std::optional<Check> check_bound_cpus(const PlacementFacts& facts, unsigned team,
                                      const Environment& environment) {
  if (facts.machine == nullptr || !facts.limits.runtime_binds) return std::nullopt;
  const auto bind = environment.get("OMP_PROC_BIND").value_or("");
  for (const std::string variable : {"GOMP_CPU_AFFINITY", "OMP_PLACES", "OMP_PROC_BIND"}) {
    const auto value = environment.get(variable).value_or("");
    if (value.empty()) continue;
    const bool is_bind = variable == "OMP_PROC_BIND";
    const auto cpus = bound_cpus(*facts.machine, variable, is_bind ? std::string() : value, bind).count();
    if (cpus == 0 || cpus >= team) return std::nullopt;
    return Check{
        "cpus", Status::warn,
        fmt::format("{}={} binds {} threads to {} CPU{}", variable, value, team, cpus, cpus == 1 ? "" : "s"),
        "threads that share a CPU wait for one another",
        is_bind ? std::string("set OMP_PROC_BIND=close, or unset it")
                : fmt::format("unset {}, or name a CPU for each thread", variable)};
  }
  return std::nullopt;
}

PlacementFacts placement_facts(Environment environment) {
  PlacementFacts facts;
  facts.limits = place::find_limits(environment.pointers().data());
  std::string_view why;
  facts.machine = place::Machine::load({}, why);
  facts.problem = why;
  return facts;
}

Check check_placement(const PlacementFacts& facts, unsigned team, config::Bind bind) {
  if (bind == Bind::none) return {k_placement, Status::ok, not_pinned(bind, "as asked for")};
  if (facts.machine == nullptr) return without_machine(bind, facts.problem);
  const auto decision = place::decide(bind, facts.limits, *facts.machine, team);
  const auto why = place::explain(decision, facts.limits, *facts.machine, team);
  if (decision.pins) {
    return {k_placement, Status::ok,
            fmt::format("threads are pinned ({}: {})", config::to_text(bind), why.view())};
  }
  Check check{k_placement, Status::ok, not_pinned(bind, why.view())};
  advise(decision, check);
  return check;
}

} // namespace wstree::cli
