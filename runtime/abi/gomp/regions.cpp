// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel regions of GCC's libgomp: which threads form a team.
#include "export.h"
#include "gomp/region.h"
#include "member_frame.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace wstree::abi::gomp {
namespace {

void start_combined_loop(Frame& frame, const CombinedLoop& loop, const void* caller) noexcept {
  const auto& bounds = loop.bounds;
  if (frame.may_serve() && begin_loop(frame, loop.kind, loop.units.count, loop.as, caller))
    return set_bounds(frame, bounds, loop.units.size);
  // No memory: every member comes here.
  const Fallback schedule = own_schedule(loop);
  register_loop(static_cast<long>(bounds.start()), static_cast<long>(bounds.end()),
                static_cast<long>(bounds.increment()), schedule.kind, schedule.chunk, nullptr, nullptr,
                caller);
}

/// Into how many pieces the function of a region divides its loop, and how many iterations they have; some
/// have one more.
struct Pieces {
  std::uint64_t count;
  std::uint64_t size; // 1: it is not known
};
/// `each`: pieces of a member.
Pieces pieces_of(std::uint64_t each, std::uint64_t iterations, std::uint32_t members) noexcept {
  // A power of two, so that pieces cost the same from execution to execution.
  if (iterations == 0) return {members * std::bit_floor(each), 1};
  Pieces best{members * each, std::max<std::uint64_t>(iterations / (members * each), 1)};
  // The first pieces have one iteration more. With some pieces more the members have about the same.
  constexpr std::uint64_t k_looks = 8, k_long = 64;
  std::uint64_t least = iterations;
  for (std::uint64_t more = 0; best.size < k_long && each != 1 && more < k_looks; ++more) {
    const std::uint64_t count = members * (each + more);
    const std::uint64_t size = iterations / count;
    if (size == 0) break;
    const std::uint64_t rest = iterations - count * size;
    const std::uint64_t uneven = std::min(rest, each + more) * members - rest;
    if (uneven >= least) continue;
    least = uneven;
    best = {count, size};
    if (uneven == 0) break;
  }
  return best;
}

/// The member of `frame` executes pieces of the region's loop until none are left for it.
[[gnu::noinline]] void execute_pieces(Frame& frame, const Region& region) {
  RepeatedRegion& repeated = *region.repeated;
  const std::uint32_t members = frame.member.members();
  if (members == 1 || !frame.may_serve()) return region.function(region.data);
  const std::uint64_t iterations = repeated.known_iterations();
  const std::uint64_t each = repeated.pieces_each(iterations, members);
  const bool is_whole = each == 1;
  if (is_whole && !repeated.is_measured()) return region.function(region.data);
  const Pieces pieces = pieces_of(each, iterations, members);
  const loop::OwnFirst items = repeated.items(pieces.count, members, is_whole ? 0 : 1);
  // Pieces of another size cost something else. The function has more bytes than there are sizes.
  const void* const place = reinterpret_cast<const std::byte*>(region.function) +
                            std::bit_width(iterations != 0 ? pieces.size : pieces.count);
  if (!repeated.begin(frame, items, is_whole, 1, pieces.size, place))
    return region.function(region.data); // as all members
  const proof::Verdict& verdict = repeated.verdict();
  PieceAnswers answers;
  answers.after_count = verdict.after_thread_count;
  answers.after_number = verdict.after_thread_number;
  answers.count = static_cast<int>(pieces.count);
  answers.items = pieces.count;
  answers.own = pieces.count - items.shared();
  answers.are_pieces = iterations == 0;
  frame.answers = &answers;
  std::uint64_t done = 0;
  const auto execute = [&](core::Range some) {
    done += some.end - some.begin;
    for (std::uint64_t k = some.begin; k != some.end; ++k) {
      answers.number = static_cast<int>(k);
      region.function(region.data);
    }
  };
  const std::uint64_t began = Platform::ticks();
  execute(items.own(frame.member.index()));
  core::Range units;
  while (frame.member.next(units))
    while (units.begin != units.end) execute(items.take(units));
  if (!is_whole)
    repeated.add(core::elapsed(began, Platform::ticks()), done, pieces.count, iterations, members);
  leave_loop(frame);
  frame.answers = nullptr;
}

} // namespace

void wrap_member(void* data) {
  const Region& region = *static_cast<const Region*>(data);
  const int members = runtime_threads(region.caller);
  const int number = runtime_thread(region.caller);
  const auto run = [&region, number](Frame& frame) {
    if (number < 0) frame.kind = Frame::Kind::unserved; // the runtime cannot be asked
    frame.outlined = reinterpret_cast<const void*>(region.function);
    frame.schedule_of = Frame::ScheduleOf::task; // libgomp asks for the task's schedule when a loop starts
    if (region.loop) start_combined_loop(frame, *region.loop, region.caller);
    if (region.repeated != nullptr) return execute_pieces(frame, region);
    region.function(region.data);
  };
  run_as<ServedMember>(run, static_cast<std::uint32_t>(std::max(number, 0)), members, region.team,
                       region.terms, region.base);
}

void wrap_told_member(void* data) {
  ToldFork& fork = *static_cast<ToldFork*>(data);
  const void* caller = fork.region->caller;
  const int members = runtime_threads(caller);
  const int number = runtime_thread(caller);
  const ompt::ToldMember member(fork.told, static_cast<std::uint32_t>(std::max(number, 0)),
                                static_cast<std::uint32_t>(std::max(members, 1)), __builtin_frame_address(0));
  if (fork.construct.kind != 0) ompt::begin_work(fork.construct, fork.told.caller);
  wrap_member(fork.region);
}

} // namespace wstree::abi::gomp

namespace {

using namespace wstree::abi;
using namespace wstree::abi::gomp;

constinit Real<void(Outlined, void*, unsigned, unsigned)> g_parallel{"GOMP_parallel"};
constinit Real<unsigned(Outlined, void*, unsigned, unsigned)> g_parallel_reductions{
    "GOMP_parallel_reductions", true};
constinit Real<void(Outlined, void*, unsigned, unsigned, unsigned)> g_parallel_sections{
    "GOMP_parallel_sections"};

inline void fork_plain(Region& region, unsigned threads, unsigned flags) {
  const auto real = g_parallel.require(region.caller);
  fork_region(region, [=](Outlined wrapper, void* shared) { real(wrapper, shared, threads, flags); });
}
/// GOMP_parallel in a process with rules or with a tool.
[[gnu::noinline]] void fork_attended(Region& region, unsigned threads, unsigned flags) {
  threads = ruled_threads(threads, ruling_of(region.caller, nullptr, t_label));
  const ompt::OpenCall call(region.caller);
  const auto real = g_parallel.require(region.caller);
  fork_perhaps_told(region, threads,
                    [=](Outlined wrapper, void* shared) { real(wrapper, shared, threads, flags); });
}
/// GOMP_parallel of a function that may be called again.
[[gnu::noinline]] void fork_repeated(RepeatableFunction& function, Region& region, unsigned threads,
                                     unsigned flags) {
  MaybeRepeated repeated;
  repeated.choose(function, region.caller, nullptr, region.data);
  region.repeated = repeated.region();
  if (repeated.is_timed())
    return g_parallel.require(region.caller)(region.function, region.data, threads, flags);
  if (session().attends_regions()) [[unlikely]]
    return fork_attended(region, threads, flags);
  fork_plain(region, threads, flags);
}

[[gnu::noinline]] void fork_told_sections(Outlined function, void* data, unsigned threads, unsigned count,
                                          unsigned flags, const void* caller) {
  Region region{nullptr, function, data, caller};
  const auto real = g_parallel_sections.require(caller);
  fork_told(region, threads, {ompt::k_work_sections, count},
            [=](Outlined wrapper, void* shared) { real(wrapper, shared, threads, count, flags); });
}

} // namespace

extern "C" {

WSTREE_SAME_CALLER static inline void open_parallel(Outlined function, void* data, unsigned threads,
                                                    unsigned flags) {
  const void* caller = code_about(reinterpret_cast<const void*>(function), WSTREE_CALLER);
  Region region{nullptr, function, data, caller};
  if (session().repeats)
    if (RepeatableFunction* again = find_repeatable(reinterpret_cast<const void*>(function), caller))
      return fork_repeated(*again, region, threads, flags);
  if (session().attends_regions()) [[unlikely]]
    return fork_attended(region, threads, flags);
  fork_plain(region, threads, flags);
}
WSTREE_EXPORT void GOMP_parallel(Outlined function, void* data, unsigned threads, unsigned flags) {
  if (!active()) return hand_over<g_parallel>(function, data, threads, flags);
  open_parallel(function, data, threads, flags);
}

WSTREE_SAME_CALLER static inline unsigned open_with_reductions(Outlined function, void* data,
                                                               unsigned threads, unsigned flags) {
  const void* caller = code_about(reinterpret_cast<const void*>(function), WSTREE_CALLER);
  const auto real = g_parallel_reductions.require(caller);
  threads = ruled_threads(threads, ruling_of(caller, nullptr, t_label));
  Region region{*static_cast<void**>(data), function, data, caller};
  return fork_perhaps_told(
      region, threads, [=](Outlined wrapper, void* shared) { return real(wrapper, shared, threads, flags); });
}
/// With reductions over tasks. Returns the number of threads, over which the caller then reduces.
WSTREE_EXPORT unsigned GOMP_parallel_reductions(Outlined function, void* data, unsigned threads,
                                                unsigned flags) {
  if (!active()) return hand_over<g_parallel_reductions>(function, data, threads, flags);
  return open_with_reductions(function, data, threads, flags);
}

/// The runtime's, but a tool may want to hear of it.
WSTREE_EXPORT void GOMP_parallel_sections(Outlined function, void* data, unsigned threads, unsigned count,
                                          unsigned flags) {
  if (!active()) return hand_over<g_parallel_sections>(function, data, threads, count, flags);
  const void* caller = code_about(reinterpret_cast<const void*>(function), WSTREE_CALLER);
  if (ompt::tool_listens(caller)) [[unlikely]]
    return fork_told_sections(function, data, threads, count, flags, caller);
  g_parallel_sections.require(caller)(function, data, threads, count, flags);
}
}
