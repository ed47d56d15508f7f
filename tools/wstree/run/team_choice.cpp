// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team_choice.h"

#include "marked_threads.h"
#include "options.h"
#include "tokens.h"

#include <algorithm>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

bool is_given(const Environment& environment, std::string_view name) {
  const auto value = environment.get(name).value_or("");
  return !config::trim(value).empty() && !config::is_marked_threads(value);
}

/// The others would say the same.
bool is_first_rank(const Environment& environment) {
  constexpr const char* k_local_ranks[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                           "MV2_COMM_WORLD_LOCAL_RANK",  "SLURM_LOCALID",
                                           "PALS_LOCAL_RANKID",          "LOCAL_RANK"};
  return std::ranges::all_of(k_local_ranks,
                             [&](const char* name) { return environment.get(name).value_or("0") == "0"; });
}

} // namespace

std::string reason_for_team(const place::FoundCpus& found) {
  const auto& claims = found.claims;
  const auto shared =
      claims.ranks > 1 ? fmt::format("{} ranks ({}) share ", claims.ranks, found.rank_source) : std::string();
  if (found.usable.limit == place::CpuLimit::quota)
    return shared + fmt::format("{}the time of {:g} CPUs",
                                claims.ranks > 1 ? "" : "the control groups grant ", claims.quota);
  const auto together = std::max(claims.launcher, claims.mask);
  return shared + fmt::format("{} CPU{}", together, together == 1 ? "" : "s");
}

std::optional<std::string> choose_team(Environment& environment, const place::FoundCpus& found) {
  const std::string variable(config::text_of(config::Option::threads).name);
  if (is_given(environment, config::k_team_variable) || is_given(environment, "KMP_HW_SUBSET"))
    return std::nullopt;
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

} // namespace wstree::cli
