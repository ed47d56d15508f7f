// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of a call: gets members of an OpenMP team, or idle members of an outer call, to work for it.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/parallel/control.h"
#include "wstree/parallel/nesting.h"
#include "wstree/parallel/observed.h"
#include "wstree/parallel/policy.h"
#include "wstree/parallel/resident_crew.h"

#include <cstdint>
#include <type_traits>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace wstree {
inline namespace v1 {
namespace detail {

/// Measures how late the program's OpenMP teams come when the executing thread calls them. On a busy machine
/// a team of threads that have no processor keeps a call waiting that was over long ago. A wrong measurement
/// costs a call the difference between a team and the resident crew, for half a minute at most.
class TeamTrust {
public:
  /// Returns whether a call uses the crew instead.
  bool avoids_teams() const noexcept { return pause_ != 0 && core::StdPlatform::ticks() - since_ < pause_; }
  /// The times at which a caller called its team, began in it, had nothing left, and at which no member had
  /// work any more.
  struct Region {
    std::uint64_t asked, began, done, idle;
  };
  /// The region has ended now. A member that has work may have no processor: the caller's wait for it counts
  /// if it was many times the caller's own work, because elements that last as long are rare. The first
  /// region creates threads at its beginning.
  void note(const Region& region) noexcept {
    const std::uint64_t now = core::StdPlatform::ticks();
    const auto us = static_cast<std::uint64_t>(core::StdPlatform::ticks_per_us());
    std::uint64_t late = core::elapsed(region.idle, now);
    if (has_team_) late += core::elapsed(region.asked, region.began);
    has_team_ = true;
    const std::uint64_t wait = core::elapsed(region.done, region.idle);
    if (wait > core::tuning::k_late_member * core::elapsed(region.began, region.done)) late += wait;
    late = std::min(late, core::tuning::k_latest_team * us);
    if (late <= core::tuning::k_late_team * us) return;
    since_ = now;
    pause_ = late * core::tuning::k_late_team_price;
  }

private:
  std::uint64_t since_ = 0;
  std::uint64_t pause_ = 0;
  bool has_team_ = false;
};
inline constinit thread_local TeamTrust t_team_trust{};

/// Returns the most members that a call by this thread can have: for memory of each. on_team() may have
/// fewer, but never more.
inline std::uint32_t most_members(const CallOptions& options) noexcept {
  const std::uint32_t wanted = options.threads();
  const auto bounded = [wanted](std::uint32_t all) { return wanted != 0 ? std::min(wanted, all) : all; };
  if (const Place* const place = options.place(); place != nullptr)
    return bounded(place->most_members(*place));
  if (const auto* seat = Seats<core::StdPlatform>::mine(); seat != nullptr)
    return bounded(seat->call->members());
#if defined(_OPENMP)
  if (omp_in_parallel() != 0 && omp_get_active_level() >= omp_get_max_active_levels()) return 1;
  const auto usual = static_cast<std::uint32_t>(omp_get_max_threads());
  return core::clamp<std::uint32_t>(wanted != 0 ? wanted : usual, 1, 1U << 16);
#else
  const Place& crew = ResidentCrew::place();
  return bounded(crew.most_members(crew));
#endif
}

/// Returns the processors that the program may use.
inline std::uint32_t processors() noexcept {
#if defined(_OPENMP)
  const int count = omp_get_num_procs();
  return count < 1 ? 1 : static_cast<std::uint32_t>(count);
#else
  const Place& crew = ResidentCrew::place(); // a thread for each
  return crew.most_members(crew);
#endif
}

/// Work of any type.
struct AnyWork {
  void (*run)(void* work, std::uint32_t member, std::uint32_t members);
  void* work;
};

/// The work of a call, which its members run.
struct Job {
  AnyWork work;
  Control& control;

  static void run(void* what, Call& call, std::uint32_t member) noexcept {
    Job& job = *static_cast<Job*>(what);
    job.control.guard(~std::uint64_t{0} - call.members() + member,
                      [&] { job.work.run(job.work.work, member, call.members()); });
  }
};

inline void host_on_crew(Call& call) noexcept {
  const Place& crew = ResidentCrew::place();
  crew.host(crew, call);
}

inline constexpr std::uint32_t k_all_members = ~std::uint32_t{0};

[[gnu::cold]] inline void on_members(std::uint32_t members, Control& control, AnyWork work,
                                     const Place* place, std::uint32_t most) {
  Job job{work, control};
  if (members <= 1) {
    // In the caller's own seat: nested calls find idle members of the outer call.
    control.guard(~std::uint64_t{0}, [&] { work.run(work.work, 0, 1); });
    return;
  }
  Call call(members, &job.run, &job);
  call.employ(most);
  if (place != nullptr) return place->host(*place, call);
  if (auto* seat = Seats<core::StdPlatform>::mine(); seat != nullptr) return call.nest(*seat);
#if defined(_OPENMP)
  // In a region the crew would be foreign to the program's threads.
  if (omp_in_parallel() == 0 && t_team_trust.avoids_teams()) return host_on_crew(call);
  TeamTrust::Region region{};
  region.asked = core::StdPlatform::ticks();
#pragma omp parallel num_threads(static_cast <int>(members)) default(none) shared(call, job, region)
  {
    const auto member = static_cast<std::uint32_t>(omp_get_thread_num());
    if (member == 0) region.began = core::StdPlatform::ticks();
    call.work_as(member, [&] {
      Job::run(&job, call, member);
      if (member == 0) region.done = core::StdPlatform::ticks();
    });
    if (member == 0) region.idle = core::StdPlatform::ticks();
  }
  t_team_trust.note(region);
#else
  host_on_crew(call);
#endif
}

/// Runs `work(member, members)` on up to `members` members (most_members()), with the numbers 0 to members-1.
/// Member 0 is the caller. Other members may come late, or not at all: none may wait for a member that has
/// not been seen. When it returns, all have left, and their writes can be seen. Exceptions of work() go to
/// `control`, behind everything that has an index. The caller calls control.finish(). `place`: the source of
/// the members; nullptr: an OpenMP team. `most`: so many members find work.
template <class Work>
void on_members(std::uint32_t members, Control& control, Work&& work, const Place* place = nullptr,
                std::uint32_t most = k_all_members) {
  using Own = std::remove_reference_t<Work>;
  const AnyWork any{
      [](void* own, std::uint32_t member, std::uint32_t all) { (*static_cast<Own*>(own))(member, all); },
      const_cast<void*>(static_cast<const void*>(&work))};
  on_members(members, control, any, place, most);
}

/// Runs `work` with as many members as the policy allows, and a control of its own. Throws the exceptions
/// of work().
template <execution_policy Policy, class Work>
void on_team(const Policy& policy, const Observed& call, Work&& work, std::uint32_t most = k_all_members) {
  Control control;
  on_members(call.members(most_members(policy)), control, work, policy.place(), most);
  control.finish();
}

/// Hands out the tiles 0, 1, 2, ... below `tiles`, strictly ascending, by one counter: `body(tile, member)`
/// returns false if no further tile is to be handed out. Tiles that were handed out before are executed all
/// the same. So a member may wait for the holder of a lower tile, which is at work. The exception of the
/// lowest tile reaches the caller. `members`: the largest number of members; 0: as the policy allows.
/// `if_failed`: whether other tiles are handed out after an exception.
enum class IfFailed { end, go_on };
template <execution_policy Policy, class Body>
void in_tiles(const Policy& policy, std::uint64_t tiles, Body&& body, std::uint32_t members = 0,
              IfFailed if_failed = IfFailed::end) {
  struct alignas(core::k_line_pair) Counter {
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> has_enough{false};
  } counter;
  Control control;
  Observed call(policy, tiles);
  const auto work = [&](std::uint32_t member, std::uint32_t all) {
    ObservedTiles observed(call, member, all);
    // relaxed: tiles carry no data; a member that writes for a later tile publishes that itself.
    while (!counter.has_enough.load(std::memory_order_relaxed) && !control.has_ended()) {
      const std::uint64_t tile = counter.next.fetch_add(1, std::memory_order_relaxed); // likewise
      if (tile >= tiles || !control.goes_on(policy)) return;
      control.guard(
          tile,
          [&] {
            if (!observed.run(1, [&] { return body(tile, member); }))
              counter.has_enough.store(true, std::memory_order_relaxed); // likewise
          },
          if_failed == IfFailed::end);
      policy.advance(1);
    }
  };
  if (members == 0) members = most_members(policy);
  members = static_cast<std::uint32_t>(std::min<std::uint64_t>(members, tiles));
  on_members(call.members(members), control, work, policy.place());
  control.finish();
}

} // namespace detail
} // namespace v1
} // namespace wstree
