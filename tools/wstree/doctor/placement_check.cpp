// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checks.h"

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

/// What the user may want to do about a team that auto leaves alone.
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

} // namespace

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
