// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_kinds.h"

#include "checks.h"

#include <algorithm>
#include <fmt/format.h>

namespace wstree::cli {

std::optional<FastCpus> fast_cpus(const place::Machine& machine) {
  FastCpus fast;
  std::string places;
  for (std::uint32_t i = 0; i < machine.cpus(); ++i) {
    const auto& cpu = machine.cpu(i);
    fast.kinds = std::max(fast.kinds, cpu.kind + 1U);
    if (cpu.kind == 0) {
      ++fast.slower;
      continue;
    }
    ++fast.count;
    places += fmt::format("{}{{{}}}", places.empty() ? "" : ",", cpu.os);
  }
  if (fast.count == 0) return std::nullopt;
  fast.settings = {
      {"OMP_NUM_THREADS", std::to_string(fast.count)}, {"OMP_PLACES", places}, {"OMP_PROC_BIND", "close"}};
  return fast;
}

std::optional<FastCpus> fast_cpus() {
  std::string_view why;
  const auto machine = place::Machine::load({}, why);
  return machine != nullptr ? fast_cpus(*machine) : std::nullopt;
}

std::optional<Check> check_kinds(const place::Machine& machine, unsigned team) {
  const auto fast = fast_cpus(machine);
  if (!fast) return std::nullopt;
  Check check{"kinds of CPUs", Status::ok,
              fmt::format("{} fast and {} slow, of {} kinds, for {} thread{}", fast->count, fast->slower,
                          fast->kinds, team, team == 1 ? "" : "s")};
  if (team <= fast->count) return check;
  check.status = Status::note;
  check.cause =
      "loops that the tree serves use all of them, and slow CPUs get less; but threads on fast CPUs wait "
      "at the end of static loops that it does not serve, until the slowest one has finished";
  check.fix = "wstree compare -- PROGRAM tries the fast ones alone:";
  for (const auto& [name, value] : fast->settings) check.fix += fmt::format(" {}={}", name, value);
  return check;
}

} // namespace wstree::cli
