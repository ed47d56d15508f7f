// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Odd machines: the bytes choose an hwloc description or an XML file, the CPUs that are allowed, and a team
// on it.
#include "support/bytes.h"
#include "support/files.h"
#include "support/machine_checks.h"
#include "support/odd_machine.h"
#include "support/target.h"

#include "policy.h"

#include "topo/facts.h"

#include <algorithm>
#include <dlfcn.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// hwloc 2.9 leaks 32 bytes of a description with attached memory that it refuses. The leak checker knows
// whose they are only while hwloc is loaded.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhwloc.so"; }

namespace wstree::fuzz::topology_target {
namespace {

using namespace place;

[[maybe_unused]] const void* const g_stays_loaded = dlopen("libhwloc.so.15", RTLD_LAZY | RTLD_NODELETE);

CpuSet some_cpus(Bytes& bytes) {
  CpuSet set;
  for (std::uint32_t cpu = 0; cpu < 64; cpu += 8) {
    const auto bits = bytes.byte();
    for (std::uint32_t i = 0; i < 8; ++i)
      if ((bits >> i & 1U) != 0) set.add(cpu + i);
  }
  return set;
}

/// Members where a tool has put them: anywhere, twice on the same CPU, or at an unknown place.
void check_observed(const Machine& machine, Bytes& bytes, std::uint32_t members) {
  std::vector<std::uint32_t> cpus(members);
  for (auto& cpu : cpus) cpu = bytes.between(0, machine.cpus());
  const auto layout = Layout::of_cpus(machine, cpus);
  require(layout != nullptr, "there is a layout");
  check_layout(*layout, members);
}

/// What `wstree topo` shows of it.
void check_shown(const std::string& description, std::uint32_t members, config::Bind bind) {
  cli::TopoRequest request;
  request.members = members;
  request.synthetic = description;
  request.bind = std::string(to_text(bind));
  cli::Topo topo;
  const auto problem = cli::find_topo(request, topo);
  require(!problem, "a machine that can be loaded can be shown", problem.value_or(""));
  const auto document = nlohmann::json::parse(cli::topo_json(topo), nullptr, false);
  require(document.is_object() && document["members"].size() == members, "each member is in the JSON",
          description);
  for (std::uint32_t m = 0; m < members; ++m) {
    std::size_t victims = 0;
    for (const auto& group : topo.victims(m)) victims += group.members.size();
    require(victims == members - 1, "all others are victims", description);
  }
  require(cli::topo_text(topo, cli::Thief{true, 0}).ends_with('\n'), "the text is complete", description);
  require(cli::topo_svg(topo, cli::Thief{}).ends_with("</svg>\n"), "the drawing is complete", description);
}

void body(std::string_view input) {
  Bytes bytes(input);
  const bool from_xml = bytes.flag();
  const bool masked = bytes.flag();
  const std::uint32_t members = bytes.between(1, 40);
  const auto bind = static_cast<config::Bind>(bytes.between(0, 3));
  const CpuSet within = masked ? some_cpus(bytes) : CpuSet();
  const std::string text = from_xml ? odd_xml(bytes) : odd_description(bytes);

  const MemoryFile file(text);
  std::string_view why;
  const auto machine =
      Machine::load({.kind = from_xml ? MachineSource::Kind::xml_file : MachineSource::Kind::synthetic,
                     .text = from_xml ? file.path().c_str() : text.c_str(),
                     .within = masked ? &within : nullptr},
                    why);
  require((machine == nullptr) == !why.empty(), "there is a reason if there is no machine", text);
  if (machine == nullptr) return;
  check_machine(*machine);
  require(!masked || machine->set().is_within(within), "only allowed CPUs are in the machine", text);
  check_defaults(*machine, members, Spacing::close);
  check_defaults(*machine, members, Spacing::spread);
  check_observed(*machine, bytes, members);

  Limits limits;
  limits.mask = machine->set();
  const auto decision = decide(bind, limits, *machine, members);
  require(!explain(decision, limits, *machine, members).empty(), "there is a reason for every decision");
  if (!masked && !from_xml) check_shown(text, members, bind);
}

const Registration registration("topology", body);

} // namespace
} // namespace wstree::fuzz::topology_target
