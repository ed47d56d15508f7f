// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team_choice.h"

#include "marked_threads.h"
#include "options.h"
#include "tokens.h"

#include <algorithm>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

constexpr const char* k_gcc_spin = "GOMP_SPINCOUNT";
constexpr const char* k_llvm_spin = "KMP_BLOCKTIME";
constexpr const char* k_waiting[] = {k_gcc_spin, k_llvm_spin, "OMP_WAIT_POLICY"};

bool is_given(const Environment& environment, std::string_view name) {
  const auto value = environment.get(name).value_or("");
  return !config::trim(value).empty() && !config::is_marked_threads(value);
}

bool has_chosen_team(const Environment& environment) {
  return is_given(environment, config::k_team_variable) || is_given(environment, "KMP_HW_SUBSET");
}

/// Returns whether this is the first rank of its node: the other ranks would print the same message.
bool is_first_rank(const Environment& environment) {
  constexpr const char* k_local_ranks[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                           "MV2_COMM_WORLD_LOCAL_RANK",  "SLURM_LOCALID",
                                           "PALS_LOCAL_RANKID",          "LOCAL_RANK"};
  return std::ranges::all_of(k_local_ranks,
                             [&](const char* name) { return environment.get(name).value_or("0") == "0"; });
}

/// Returns "4 ranks (MPI_LOCALNRANKS) share "; empty for one.
std::string ranks_that_share(const place::FoundCpus& found) {
  return found.claims.ranks > 1 ? fmt::format("{} ranks ({}) share ", found.claims.ranks, found.rank_source)
                                : std::string();
}

std::string time_granted(const place::FoundCpus& found) {
  const auto ranks = ranks_that_share(found);
  return fmt::format("{}the time of {:g} CPUs", ranks.empty() ? "the control groups grant " : ranks,
                     place::cpus_of(found.claims.quota));
}

} // namespace

std::string reason_for_team(const place::FoundCpus& found) {
  if (found.usable.limit == place::CpuLimit::quota) return time_granted(found);
  const auto together = std::max(found.claims.launcher, found.claims.mask);
  return ranks_that_share(found) + fmt::format("{} CPU{}", together, together == 1 ? "" : "s");
}

std::optional<std::string> choose_team(Environment& environment, const place::FoundCpus& found) {
  const std::string variable(config::text_of(config::Option::threads).name);
  if (has_chosen_team(environment)) return std::nullopt;
  const auto said = environment.get(variable).value_or("");
  if (config::trim(said).empty())
    environment.set(variable, "auto");
  else if (!config::parse_threads(said).value_or(false))
    return std::nullopt;
  const auto count = found.usable.count;
  if (count >= found.claims.mask || !is_first_rank(environment)) return std::nullopt;
  return fmt::format(
      "teams have {} thread{} instead of {}, because {}; OMP_NUM_THREADS or {}=off change that", count,
      count == 1 ? "" : "s", found.claims.mask, reason_for_team(found), variable);
}

void choose_waiting(Environment& environment, const place::FoundCpus& found) {
  // A look at memory of libgomp's loop, some 25 ns. To wake more threads takes longer.
  constexpr std::size_t k_looks_per_thread = 5'000, k_looks_of_libgomp = 300'000;
  const std::string variable(config::text_of(config::Option::wait).name);
  const auto said = environment.get(variable).value_or("");
  if (config::trim(said).empty())
    environment.set(variable, "auto");
  else if (!config::parse_threads(said).value_or(false))
    return;
  if (std::ranges::any_of(k_waiting, [&](const char* name) { return is_given(environment, name); })) return;
  const auto looks = k_looks_per_thread * std::max<std::size_t>(found.usable.count, 1);
  if (looks < k_looks_of_libgomp) environment.set(k_gcc_spin, std::to_string(looks));
}

std::optional<std::string> limit_spinning(Environment& environment, const place::FoundCpus& found) {
  const auto given = [&](const char* name) { return is_given(environment, name); };
  if (has_chosen_team(environment) || std::ranges::any_of(k_waiting, given)) return std::nullopt;
  const auto wish = environment.get(config::text_of(config::Option::threads).name).value_or("");
  if (!config::parse_threads(wish).value_or(false)) return std::nullopt;
  if (!place::can_use_up_quota(found.claims, found.usable.count)) return std::nullopt;
  // The count that libgomp itself uses with more threads than CPUs; for libomp the shortest time
  // above 0, in milliseconds.
  environment.set(k_gcc_spin, "1000");
  environment.set(k_llvm_spin, "1");
  return fmt::format("{}=1000 and {}=1, because {}", k_gcc_spin, k_llvm_spin, time_granted(found));
}

} // namespace wstree::cli
