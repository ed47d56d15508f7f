// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks.h"

#include "family.h"

#include "cgroup.h"
#include "options.h"
#include "tokens.h"

namespace wstree::place {

namespace {

// More than that on one machine are a mistake in the variable.
constexpr std::uint64_t k_most_ranks = 1'000'000;

constexpr std::string_view k_slurm = "SLURM_STEP_TASKS_PER_NODE";
constexpr std::string_view k_variables[] = {
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "MPI_LOCALNRANKS",
    "MV2_COMM_WORLD_LOCAL_SIZE",
    k_slurm,
    "PALS_LOCAL_SIZE",
    "PMI_LOCAL_SIZE",
    "JSM_NAMESPACE_LOCAL_SIZE",
    "LOCAL_WORLD_SIZE",
};

std::optional<std::uint32_t> parse_count(std::string_view text) noexcept {
  const auto number = config::parse_number(text, 1, k_most_ranks);
  if (!number) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

/// The result of a look at the masks of the processes that the launcher started beside this one.
enum class Answer : std::uint8_t { own, shared, unknown };

Answer ask_family(const CpuSet& mask, std::uint32_t ranks, const char* root) noexcept {
  // A rank may have been started through a script or two, whose only child it is then.
  constexpr int k_most_generations = 4;
  auto self = find_process("self", root);
  for (int i = 0; self && self->parent != 0 && i < k_most_generations; ++i) {
    const Children siblings = children_of(self->parent, root);
    if (!siblings.complete || !siblings.has(self->id)) return Answer::unknown;
    if (siblings.count < ranks) {
      self = find_process(self->parent, root);
      continue;
    }
    std::uint32_t apart = 0;
    bool meets = false;
    for (std::uint32_t k = 0; k < siblings.count; ++k) {
      if (siblings.ids[k] == self->id) continue;
      const auto other = find_process(siblings.ids[k], root);
      if (!other || !other->mask) continue; // it has ended
      if (other->mask->overlaps(mask))
        meets = true;
      else
        ++apart;
    }
    // The launcher may have other children than the ranks, and they may run anywhere.
    if (apart + 1 >= ranks) return Answer::own;
    return meets ? Answer::shared : Answer::unknown;
  }
  return Answer::unknown;
}

} // namespace

std::optional<std::uint32_t> largest_of_counts(std::string_view list) noexcept {
  std::optional<std::uint32_t> largest;
  for (std::optional<std::string_view> rest = list; rest;) {
    const auto [item, tail] = config::split(*rest, ',');
    const auto [count, repetition] = config::split(item, '(');
    const auto number = parse_count(count);
    if (!number) return std::nullopt;
    if (repetition && !(repetition->starts_with('x') && repetition->ends_with(')'))) return std::nullopt;
    if (!largest || *number > *largest) largest = number;
    rest = tail;
  }
  return largest;
}

LocalRanks find_local_ranks(const char* const* envp) noexcept {
  LocalRanks ranks;
  for (const std::string_view name : k_variables) {
    const auto value = config::find_variable(envp, name);
    if (!value) continue;
    const auto count = name == k_slurm ? largest_of_counts(*value) : parse_count(config::trim(*value));
    if (!count || (!ranks.source.empty() && *count <= ranks.count)) continue;
    ranks.count = *count;
    ranks.source = name;
  }
  return ranks;
}

std::optional<CpuSet> find_launcher_mask(std::string_view variable, const char* root) noexcept {
  constexpr int k_most_generations = 16; // most scripts between the launcher and this process
  auto self = find_process("self", root);
  for (int i = 0; self && self->parent != 0 && i < k_most_generations; ++i) {
    const auto parent = find_process(self->parent, root);
    if (!parent) return std::nullopt;
    if (!has_variable(parent->id, variable, root)) return parent->mask;
    self = parent;
  }
  return std::nullopt;
}

bool do_ranks_share(const CpuSet& mask, std::uint32_t ranks, std::uint32_t online,
                    const char* root) noexcept {
  if (ranks <= 1) return false;
  const Answer answer = ask_family(mask, ranks, root);
  if (answer != Answer::unknown) return answer == Answer::shared;
  // All ranks have got as many CPUs as this one, if a launcher binds them. Each can have got its own if there
  // are enough where the launcher, or, if that is out of sight, this control group may run.
  const auto self = find_process("self", root);
  const auto parent = self && self->parent != 0 ? find_process(self->parent, root) : std::nullopt;
  std::optional<CpuSet> allowed = parent ? parent->mask : std::nullopt;
  if (!allowed) allowed = find_cpuset(root);
  if (allowed && !mask.is_within(*allowed)) return true; // not bound by this launcher
  const std::uint32_t count = allowed ? allowed->count() : online;
  return std::uint64_t{mask.count()} * ranks > count;
}

} // namespace wstree::place
