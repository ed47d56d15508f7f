// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of CPUs as the kernel writes them: parse_cpu_list() and to_list().
#include "support/target.h"

#include "cpu_set.h"

namespace wstree::fuzz::cpu_list_target {
namespace {

using namespace place;

void body(std::string_view text) {
  const auto set = parse_cpu_list(text);
  if (!set) return;
  std::uint32_t count = 0;
  std::uint32_t before = CpuSet::k_cpus;
  for (std::uint32_t cpu = set->next(0); cpu < CpuSet::k_cpus; cpu = set->next(cpu + 1)) {
    require(set->has(cpu), "next() finds members", text);
    require(before == CpuSet::k_cpus || before < cpu, "next() rises", text);
    before = cpu;
    ++count;
  }
  require(count == set->count(), "next() finds all members", text);
  require(set->empty() == (count == 0), "a set without members is empty", text);

  const auto list = to_list(*set);
  require(!list.truncated(), "the list has room", list.view());
  const bool cut = list.view().ends_with(",...");
  if (!cut)
    require(parse_cpu_list(list.view()) == set, "the list means the same set", list.view());
  else
    require(parse_cpu_list(list.view().substr(0, list.size() - 4))->is_within(*set),
            "a cut list holds members", list.view());
}

const Registration registration("cpu_list", body);

} // namespace
} // namespace wstree::fuzz::cpu_list_target
