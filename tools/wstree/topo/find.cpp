// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine, the limits and the team, from the command line and the environment.
#include "facts.h"

#include "doctor/checks.h"
#include "support/message.h"
#include "support/visible.h"

#include <cstdio>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

using place::MachineSource;

constexpr const char* k_places = "OMP_PLACES";

void print_line(void*, std::string_view line) noexcept {
  const auto text = visible(line) + '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string not_understood(std::string_view option, std::string_view value, std::string_view accepted) {
  return fmt::format("{} '{}' is not understood (accepted: {})", option, value, accepted);
}

bool is_other_machine(const TopoRequest& request) { return request.synthetic || request.xml; }

MachineSource source_of(const TopoRequest& request, Topo& topo) {
  if (request.synthetic) {
    topo.source = "synthetic machine";
    return {MachineSource::Kind::synthetic, request.synthetic->c_str(), nullptr};
  }
  if (request.xml) {
    topo.source = fmt::format("the machine in {}", *request.xml);
    return {MachineSource::Kind::xml_file, request.xml->c_str(), nullptr};
  }
  topo.source = "this machine";
  return {};
}

std::optional<std::string> load_machine(const TopoRequest& request, Topo& topo) {
  auto source = source_of(request, topo);
  std::optional<place::CpuSet> within;
  if (request.cpus) {
    within = place::parse_cpu_list(*request.cpus);
    if (!within || within->empty()) return not_understood("--cpus", *request.cpus, "a list like 0-3,8");
    source.within = &*within;
  }
  std::string_view why;
  topo.machine = place::Machine::load(source, why);
  if (topo.machine) {
    topo.levels = nesting(*topo.machine);
    return std::nullopt;
  }
  auto problem = fmt::format("the topology of {} is not known: {}",
                             request.synthetic ? fmt::format("'{}'", *request.synthetic) : topo.source, why);
  if (why == "hwloc is not installed")
    problem += " (package libhwloc15 of Debian and Ubuntu, hwloc-libs of Fedora)";
  return problem;
}

/// Returns the limits of this machine; of another machine only the topology is known.
place::Limits limits_of(const TopoRequest& request, Topo& topo) {
  if (!is_other_machine(request)) {
    auto limits = place::find_limits(topo.environment.pointers().data());
    limits.mask.keep(topo.machine->set());
    if (request.places) limits.runtime_binds = false; // they are meant for the library
    topo.limits = limits;
    return limits;
  }
  place::Limits limits;
  limits.mask = topo.machine->set();
  limits.online = topo.machine->cpus();
  if (request.places) limits.user_placed = k_places;
  return limits;
}

std::optional<std::string> find_bind(const TopoRequest& request, Topo& topo) {
  if (!request.bind) {
    if (!is_other_machine(request))
      topo.bind = config::load(topo.environment.pointers().data(), {print_line}).bind;
    return std::nullopt;
  }
  const auto bind = config::parse_bind(*request.bind);
  if (!bind) return not_understood("--bind", *request.bind, text_of(config::Option::bind).accepted);
  topo.bind = *bind;
  return std::nullopt;
}

std::optional<std::string> find_places(const TopoRequest& request, Topo& topo) {
  const auto text = is_other_machine(request) ? request.places : topo.environment.get(k_places);
  if (text && !text->empty()) {
    std::string_view why;
    topo.places = place::Places::parse(*topo.machine, *text, why);
    if (!topo.places && request.places) return fmt::format("--places '{}': {}", *text, why);
    // As the library does: its own places then.
    if (!topo.places) say("{}='{}' is not used: {}", k_places, *text, why);
  }
  if (!topo.places)
    topo.places = place::Places::by_default(*topo.machine, topo.members, topo.decision.spacing);
  if (topo.places)
    topo.layout = place::Layout::make(*topo.machine, *topo.places, topo.decision.spacing, topo.members);
  if (!topo.layout) return "there is not enough memory";
  return std::nullopt;
}

} // namespace

std::optional<std::string> find_topo(const TopoRequest& request, Topo& topo) {
  if (request.places) topo.environment.set(k_places, *request.places);
  if (auto problem = find_bind(request, topo)) return problem;
  if (auto problem = load_machine(request, topo)) return problem;
  const auto limits = limits_of(request, topo);
  const CpuFacts facts{.allowed = topo.machine->cpus(), .present = topo.machine->cpus()};
  topo.members = request.members;
  if (topo.members == 0)
    topo.members = is_other_machine(request) ? facts.allowed : team_size(facts, topo.environment);
  topo.decision = place::decide(topo.bind, limits, *topo.machine, topo.members);
  topo.reason = place::explain(topo.decision, limits, *topo.machine, topo.members).view();
  return topo.decision.pins ? find_places(request, topo) : std::nullopt;
}

} // namespace wstree::cli
