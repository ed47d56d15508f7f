// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kmpc_loop.h"

#include <algorithm>

namespace wstree::abi {
namespace {

using namespace kmpc;

/// The program left the schedule of this loop to the environment, which asks for the tree, but the tree must
/// not serve it: ordered, cross-iteration dependences, monotonic, too many iterations, or no memory. Every
/// member of a team has to replace it alike, so this is for loops of regions that we know to be the tree's.
void use_fallback(std::int32_t& schedule, std::int64_t& chunk) noexcept {
  const std::int32_t kind = kind_of(schedule);
  const bool ordered = kind == k_runtime + k_ordered_distance;
  if (kind != k_runtime && !ordered) return;
  const config::Fallback& fallback = session().options.fallback;
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
  schedule = real + (ordered ? k_ordered_distance : 0) + (schedule & k_monotonic);
  chunk = static_cast<std::int64_t>(std::max<std::uint64_t>(fallback.chunk, 1));
}

/// The statistics' site of the loop. A thread mostly asks again for the one that it asked for last.
observe::LoopSite* site_of(const void* caller, const char* psource) noexcept {
  struct Last {
    const void* caller = nullptr;
    const char* psource = nullptr;
    observe::LoopSite* site = nullptr;
  };
  static constinit thread_local Last last __attribute__((tls_model("initial-exec")));
  if (last.caller != caller || last.psource != psource)
    last = {caller, psource, observe::find_site(caller, psource, "wstree")};
  return last.site;
}

bool is_servable(std::int32_t schedule) noexcept {
  const std::int32_t kind = kind_of(schedule);
  return (kind == k_runtime || kind == k_runtime_simd) && (schedule & k_monotonic) == 0;
}

} // namespace

bool try_to_serve(std::int32_t& schedule, std::int64_t& chunk, bool countable, std::uint64_t iterations,
                  std::uint64_t lower, std::uint64_t stride, const ident_t* loc,
                  const void* caller) noexcept {
  Frame* frame = innermost_frame();
  if (frame == nullptr) return false;
  if (runtime_level(caller) != frame->level) {
    // A region that was forked out of our sight, perhaps inside a loop of ours, which must stay as it is.
    if (frame->loop == Frame::Loop::served) frame->loop = Frame::Loop::foreign_inside;
    return false;
  }
  if (frame->member.in_loop()) leave_loop(*frame); // cancelled
  frame->loop = Frame::Loop::none;
  frame->last_loop_served = false;
  const bool doacross = frame->doacross;
  frame->doacross = false;
  if (frame->asks) {
    const TaskSchedule asked = task_schedule(caller);
    if (!asked.tree || runtime_threads(caller) != 1) return false;
    frame->smallest = asked.chunk;
  }
  if (!frame->serves || doacross || !countable || !is_servable(schedule)) {
    use_fallback(schedule, chunk);
    return false;
  }
  const Session& process = session();
  frame->loop = Frame::Loop::served;
  frame->last_loop_served = true;
  frame->lower = lower;
  frame->stride = stride;
  if (iterations == 0) {
    frame->member.enter_empty();
    return true;
  }
  if (!frame->member.enter(iterations, process.settings, frame->smallest)) {
    frame->loop = Frame::Loop::none;
    frame->last_loop_served = false;
    use_fallback(schedule, chunk);
    return false;
  }
  frame->measured = process.measured;
  if (process.measured) [[unlikely]] {
    note_members(frame->member.members());
    frame->site = site_of(caller, loc != nullptr ? loc->psource : nullptr);
  }
  return true;
}

bool is_back_in_served_loop(Frame& frame, const void* caller) noexcept {
  if (runtime_level(caller) != frame.level) return false;
  frame.loop = Frame::Loop::served;
  return true;
}

bool distribute_share(std::uint64_t iterations, DistributeShare& share, const void* caller) noexcept {
  static constinit Next<int()> get_num_teams{"omp_get_num_teams"};
  static constinit Next<int()> get_team_num{"omp_get_team_num"};
  const auto num_teams = get_num_teams.find(caller);
  const auto team_num = get_team_num.find(caller);
  if (num_teams == nullptr || team_num == nullptr) return false;
  const auto teams = static_cast<std::uint64_t>(std::max(num_teams(), 1));
  const auto team = static_cast<std::uint64_t>(std::max(team_num(), 0));
  // As libomp divides them: equal shares, the first teams get one more.
  const std::uint64_t size = iterations / teams;
  const std::uint64_t extra = iterations % teams;
  share.first = team * size + std::min(team, extra);
  share.count = size + (team < extra ? 1 : 0);
  share.has_last = share.count != 0 && share.first + share.count == iterations;
  return true;
}

} // namespace wstree::abi
