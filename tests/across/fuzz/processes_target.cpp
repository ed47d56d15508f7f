// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Other processes of an MPI job: the launcher's variables and /proc, with any content. The lines before the
// first file are the environment.
#include "support/environment_block.h"
#include "support/files.h"
#include "support/target.h"

#include "family.h"
#include "process_limits.h"
#include "ranks.h"

#include "inspect/openmp_runtime.h"

#include <string>

namespace wstree::fuzz::processes_target {
namespace {

using namespace place;

void check_family(const char* root) {
  const auto self = find_process("self", root);
  if (!self) return;
  require(self->id >= 1 && self->id <= 1U << 22U, "the number of a process is one");
  const auto again = find_process(self->id, root);
  require(!again || again->id != 0, "a process that is found has a number");
  const Children children = children_of(self->parent, root);
  require(children.count <= Children::k_most, "there is room for the children");
  for (std::uint32_t i = 0; i < children.count; ++i)
    require(children.has(children.ids[i]) && children.ids[i] != 0, "the children are known");
  require(!children.has(0), "no process is the child 0");
}

void check_ranks(const EnvironmentBlock& environment, const char* root) {
  const auto ranks = find_local_ranks(environment.envp());
  require(ranks.count >= 1 && ranks.count <= 1'000'000, "a number of ranks is sensible");
  require(!ranks.source.empty() || ranks.count == 1, "a variable says how many there are");
  CpuSet mask;
  for (std::uint32_t cpu = 0; cpu < 4; ++cpu) mask.add(cpu);
  const bool share = do_ranks_share(mask, ranks.count, 8, root);
  require(ranks.count > 1 || !share, "one rank shares with no other");
}

void check_limits(const EnvironmentBlock& environment, const char* root) {
  const Limits limits = find_limits(environment.envp(), root);
  require(!limits.mask.empty(), "the process may run somewhere");
  require(limits.online >= 1, "the machine has a CPU");
  require(!limits.runtime_binds || !limits.user_placed.empty(), "the runtime binds if a variable says so");
  require(!limits.ranks_share_mask || limits.local_ranks > 1, "one rank shares with no other");
}

void body(std::string_view input) {
  const Folder& folder = Folder::emptied();
  const auto head = folder.fill(input);
  const EnvironmentBlock environment(head);
  const char* const root = folder.path().c_str();
  check_family(root);
  check_ranks(environment, root);
  check_limits(environment, root);
  if (const auto largest = largest_of_counts(head.substr(0, head.find('\n'))))
    require(*largest >= 1, "ranks are counted from 1", head);
  for (const auto& file : cli::mapped_files(head))
    require(file.is_absolute(), "mapped files have paths", file.native());
}

const Registration registration("processes", body);

} // namespace
} // namespace wstree::fuzz::processes_target
