// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "usable_cpus.h"

#include "process_limits.h"
#include "ranks.h"

#include <algorithm>

namespace wstree::place {

namespace {

// A quota of 2 may be written as 2.0001, because some tools round periods.
constexpr std::uint64_t k_rounding = k_whole_cpu / 100;

/// Returns the quota of one rank in whole CPUs.
std::uint32_t whole_cpus(std::uint64_t quota, std::uint32_t ranks) noexcept {
  const std::uint64_t whole = (quota / ranks + k_whole_cpu - 1 - k_rounding) / k_whole_cpu;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(whole, 1, CpuSet::k_cpus));
}

} // namespace

UsableCpus usable_cpus(const CpuClaims& claims) noexcept {
  UsableCpus usable{claims.mask, CpuLimit::mask};
  if (claims.mask == 0) return usable;
  const auto limit_to = [&usable](std::uint32_t count, CpuLimit limit) noexcept {
    if (count < usable.count) usable = {count, limit};
  };
  const std::uint32_t ranks = std::max(claims.ranks, 1U);
  if (ranks > 1) {
    const std::uint32_t together = std::max(claims.launcher, claims.mask);
    limit_to(std::max(together / ranks, 1U), CpuLimit::ranks);
  }
  if (claims.quota > 0) limit_to(whole_cpus(claims.quota, ranks), CpuLimit::quota);
  return usable;
}

bool can_use_up_quota(const CpuClaims& claims, std::uint32_t team) noexcept {
  return team > 1 && claims.quota > 0 &&
         team * k_whole_cpu > claims.quota / std::max(claims.ranks, 1U) + k_rounding;
}

FoundCpus find_usable_cpus(const char* const* envp, const char* root) noexcept {
  FoundCpus found;
  const CpuSet mask = current_mask();
  found.claims.mask = mask.count();
  const Quota quota = find_quota(root);
  found.claims.quota = quota.time;
  found.quota_file = quota.file;
  const LocalRanks ranks = find_local_ranks(envp);
  found.claims.ranks = ranks.count;
  found.rank_source = ranks.source;
  if (ranks.count > 1) {
    auto launcher = find_launcher_mask(ranks.source, root);
    const auto group = find_cpuset(root); // a launcher that belongs to the system may stand outside of it
    if (launcher && group && launcher->overlaps(*group)) launcher->keep(*group);
    if (!launcher) launcher = group;
    found.claims.launcher = launcher ? launcher->count() : 0;
  }
  found.usable = usable_cpus(found.claims);
  return found;
}

} // namespace wstree::place
