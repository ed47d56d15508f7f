// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kmpc/loops.h"

#include <algorithm>

namespace wstree::abi {

using namespace kmpc;

LoopForm read_other_schedule(std::int32_t schedule) noexcept {
  const bool monotonic = (schedule & k_monotonic) != 0;
  // Before OpenMP 5.0 a compiler passes no modifier, and dynamic and guided loops keep their order then.
  // Loops that leave their schedule to the environment, or to the runtime, leave the order to it as well.
  const bool nonmonotonic = (schedule & k_nonmonotonic) != 0;
  switch (kind_of(schedule)) {
  case k_runtime:
  case k_runtime_simd:
    return {config::LoopKind::runtime, !monotonic};
  case k_runtime + k_ordered_distance:
    return {config::LoopKind::runtime, false};
  case k_dynamic:
    return {config::LoopKind::dynamic, nonmonotonic};
  case k_guided:
    return {config::LoopKind::guided, nonmonotonic};
  case k_auto:
    return {config::LoopKind::auto_, !monotonic};
  default:
    return {config::LoopKind::auto_, false};
  }
}

RuntimeSchedule fallback_for(std::int32_t schedule, config::Fallback fallback) noexcept {
  const bool ordered = kind_of(schedule) == k_runtime + k_ordered_distance;
  std::int32_t real = k_guided;
  switch (fallback.kind) {
  case config::FallbackKind::static_:
    real = fallback.chunk == 0 ? k_static : k_static_chunked;
    break;
  case config::FallbackKind::dynamic:
    real = k_dynamic;
    break;
  case config::FallbackKind::guided:
    real = k_guided;
    break;
  case config::FallbackKind::auto_:
    real = k_auto;
    break;
  case config::FallbackKind::trapezoidal:
    real = k_trapezoidal;
    break;
  }
  return {real + (ordered ? k_ordered_distance : 0) + (schedule & k_monotonic),
          static_cast<std::int32_t>(std::max<std::uint64_t>(fallback.chunk, 1))};
}

bool distribute_share(std::uint64_t iterations, DistributeShare& share, const void* caller) noexcept {
  static constinit Real<int()> get_num_teams = question<int()>("omp_get_num_teams");
  static constinit Real<int()> get_team_num = question<int()>("omp_get_team_num");
  const auto num_teams = get_num_teams.find(caller);
  const auto team_num = get_team_num.find(caller);
  if (num_teams == nullptr || team_num == nullptr) return false;
  const auto teams = static_cast<std::uint64_t>(std::max(num_teams(), 1));
  const auto team = static_cast<std::uint64_t>(std::max(team_num(), 0));
  // libomp divides them into equal shares, and the first teams get one more.
  const std::uint64_t size = iterations / teams;
  const std::uint64_t extra = iterations % teams;
  share.first = team * size + std::min(team, extra);
  share.count = size + (team < extra ? 1 : 0);
  share.has_last = share.count != 0 && share.first + share.count == iterations;
  return true;
}

} // namespace wstree::abi
