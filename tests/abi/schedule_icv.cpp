// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: the schedule as an internal control variable, with every kind and with the library's own. A loop
// runs right whatever the schedule says.
//   --library   the library is there; otherwise its own kinds are left out
//   --asked     OMP_SCHEDULE asks for one of them, with chunk 5; otherwise it is dynamic,5
//   --kind N    for the N-th, counted from 0; without it the first
#include "hits.h"
#include "omp_decls.h"

#include <atomic>
#include <sched.h>
#include <thread>

namespace {

using check::Hits;
using check::HitsList;

constexpr std::size_t k_width = 200;
bool library = false;
bool asked = false;
omp_sched_t asked_kind = k_sched_wstree;

struct Schedule {
  omp_sched_t kind;
  int chunk;
  bool operator==(const Schedule& other) const { return kind == other.kind && chunk == other.chunk; }
};

Schedule get() {
  Schedule schedule{};
  omp_get_schedule(&schedule.kind, &schedule.chunk);
  return schedule;
}

void set(Schedule schedule) { omp_set_schedule(schedule.kind, schedule.chunk); }

#define MUST_BE(wanted, place)                                                                               \
  do {                                                                                                       \
    const Schedule is = get(), should = wanted;                                                              \
    CHECK(is == should, "%s: kind %#x chunk %d instead of kind %#x chunk %d", place, is.kind, is.chunk,      \
          should.kind, should.chunk);                                                                        \
  } while (0)

Schedule from_environment() { return {asked ? asked_kind : omp_sched_dynamic, 5}; }

constexpr auto k_monotonic_dynamic = static_cast<omp_sched_t>(omp_sched_dynamic | omp_sched_monotonic);

/// A kind that differs from the environment's.
constexpr Schedule k_guided{omp_sched_guided, 3};

void run_loop(const char* what) {
  Hits hits(k_width);
#pragma omp parallel for schedule(runtime) num_threads(3)
  for (std::size_t i = 0; i < k_width; ++i) hits.touch(i);
  hits.must_be_one_each(what);
}

/// Of a static loop of four members.
[[maybe_unused]] void must_be_static(const std::vector<int>& owner) {
  for (std::size_t i = 0; i < k_width; ++i)
    CHECK(owner[i] == static_cast<int>(i / (k_width / 4)), "static iteration %zu on %d", i, owner[i]);
}

void environment_gives_the_first_value() { MUST_BE(from_environment(), "first query"); }

void own_schedules_at_the_limits_of_the_chunk() {
  for (unsigned which = 0; which < k_own_schedules; ++which)
    for (const int chunk : {0, -5, -0x7fffffff - 1, k_most_chunk + 1, 0x7fffffff}) {
      const omp_sched_t kind = own_schedule(which);
      // Below 1 asks for the default, as with the standard's kinds.
      const int taken = chunk > 0 ? k_most_chunk : kind == k_sched_wstree ? 1 : 0;
      set({kind, chunk});
      MUST_BE((Schedule{kind, taken}), "after a chunk below 1, or one that is too large");
      run_loop("own schedule with a chunk below 1, or one that is too large");
    }
}

void get_after_set() {
  std::vector<Schedule> schedules{{omp_sched_static, 7}, {omp_sched_dynamic, 1},  {omp_sched_dynamic, 64},
                                  {omp_sched_guided, 2}, {omp_sched_guided, 100}, {omp_sched_static, 1}};
  schedules.push_back({static_cast<omp_sched_t>(omp_sched_guided | omp_sched_monotonic), 9});
  // The library uses this kind for itself: with 5 if it is asked for, with others once they were set.
  for (const int chunk : {1, 2, 5, 64, 64, 5, 1 << 26, (1 << 30) + (1 << 26) + 7})
    schedules.push_back({k_monotonic_dynamic, chunk});
  if (library)
    for (unsigned which = 0; which < k_own_schedules; ++which)
      for (const int chunk : {1, 2, 64, 1 << 20, k_most_chunk})
        schedules.push_back({own_schedule(which), chunk});
  for (const int chunk : {5, 1, 3, 64}) {
    schedules.push_back({k_monotonic_dynamic, chunk});
    schedules.push_back({omp_sched_dynamic, chunk});
  }
  for (const Schedule& schedule : schedules) {
    set(schedule);
    MUST_BE(schedule, "after set");
    run_loop("loop after set");
    MUST_BE(schedule, "after a loop");
  }
  set({omp_sched_auto, 4}); // auto has no chunk
  CHECK(get().kind == omp_sched_auto, "%#x", get().kind);
  run_loop("auto");
  if (library) own_schedules_at_the_limits_of_the_chunk();
  set(from_environment());
  MUST_BE(from_environment(), "set back");
}

void regions_inherit() {
  for (const Schedule& outer : {from_environment(), k_guided}) {
    set(outer);
#pragma omp parallel num_threads(3)
    {
      MUST_BE(outer, "in the region");
#pragma omp parallel num_threads(2)
      MUST_BE(outer, "in the nested region");
#pragma omp parallel if (0)
      MUST_BE(outer, "in the serialised region");
#pragma omp single
#pragma omp task
      MUST_BE(outer, "in the task");
    }
  }
  set(from_environment());
}

void changes_inside_do_not_leak() {
  const Schedule mine{omp_sched_static, 17};
#pragma omp parallel num_threads(3)
  {
    set(mine);
    MUST_BE(mine, "own change");
#pragma omp parallel num_threads(2)
    {
      MUST_BE(mine, "nested region of a member that changed it");
      set(k_guided);
    }
    MUST_BE(mine, "after the nested region");
#pragma omp parallel if (0)
    set(k_guided);
    MUST_BE(mine, "after the serialised region");
#pragma omp task if (0)
    set(k_guided);
    MUST_BE(mine, "after an undeferred task");
  }
  MUST_BE(from_environment(), "after the region");
}

/// Another schedule of the library in each round.
Schedule own_or_dynamic(int round) {
  if (!library) return {omp_sched_dynamic, 2};
  return {own_schedule(static_cast<unsigned>(round) % k_own_schedules), 2};
}

void all_members_change_in_a_region() {
  // libomp asks for the schedule when it opens the region, GCC's runtime at every loop, as the standard has
  // it. Static shows which of the two it was, because its layout is known.
  for (int round = 0; round < check::repeat(20, 300); ++round) {
    HitsList hits = check::hits_list(6, k_width);
    std::vector<int> owner(k_width, -1);
    const Schedule other = own_or_dynamic(round), another = own_or_dynamic(round + 1);
#pragma omp parallel num_threads(4)
    {
      const Schedule turns[] = {from_environment(),    k_guided, other,
                                {omp_sched_static, 0}, another,  k_guided};
      for (std::size_t k = 0; k < hits.size(); ++k) {
        set(turns[k]);
#pragma omp for schedule(runtime) nowait
        for (std::size_t i = 0; i < k_width; ++i) {
          hits[k].touch(i);
          if (k == 3) owner[i] = omp_get_thread_num();
        }
      }
    }
    check::must_be_one_each(hits, "loops of a team that changes its schedule");
#ifndef __clang__
    must_be_static(owner);
#endif
  }
  MUST_BE(from_environment(), "after the regions");
}

#ifndef __clang__
/// The same, but the others do so when the first one is at the loop, or in it.
void members_set_late() {
  for (int round = 0; round < check::repeat(50, 1000); ++round) {
    std::vector<int> owner(k_width, -1);
    HitsList hits = check::hits_list(2, k_width);
    std::atomic<int> come{0};
#pragma omp parallel num_threads(4)
    {
      const int me = omp_get_thread_num();
      check::served(hits[0]);
      while (come < me) sched_yield();
      set({omp_sched_static, 0});
      ++come;
#pragma omp for schedule(runtime)
      for (std::size_t i = 0; i < k_width; ++i) {
        hits[1].touch(i);
        owner[i] = me;
      }
    }
    check::must_be_one_each(hits, "loops of a team whose members set their schedules one after the other");
    must_be_static(owner);
  }
}

/// The standard does not allow that one sets a schedule and the others do not. GCC's runtime does not mind
/// much, and a team that is served does not.
void one_member_sets() {
  if (!asked) return;
  for (int round = 0; round < check::repeat(50, 1000); ++round) {
    HitsList hits = check::hits_list(6, k_width);
    const bool ordered = round % 2 == 0;
    const Schedule other = round % 3 == 0   ? Schedule{omp_sched_static, 2}
                           : round % 3 == 1 ? own_or_dynamic(round / 3)
                                            : k_guided;
#pragma omp parallel num_threads(3)
    {
      if (ordered) {
#pragma omp single
        set(other);
      } else if (omp_get_thread_num() == round % 3) {
        set(other);
      }
      for (std::size_t k = 0; k < hits.size(); ++k) {
        if (k == 3 && omp_get_thread_num() == 1) set({omp_sched_dynamic, 3});
        check::served(hits[k]);
      }
    }
    check::must_be_one_each(hits, "loop of a team in which one member has set a schedule");
  }
}

#endif

// The standard wants one value in all members of a team that meets a loop, and GCC's runtime needs that:
// there the next two would go wrong by themselves.
#ifdef __clang__
void members_differ_in_a_region() {
  // Only some members change their schedule, and the team's loops must still be one loop for all: no member
  // may run one alone. In the loops of the region and in those of regions below.
  std::vector<Schedule> schedules{
      k_guided, {omp_sched_dynamic, 4}, {omp_sched_static, 3}, {omp_sched_auto, 1}};
  if (library)
    for (unsigned which = 0; which < k_own_schedules; ++which) schedules.push_back({own_schedule(which), 6});
  for (int round = 0; round < check::repeat(104, 2000); ++round) {
    Schedule first = round % 3 == 0 ? own_or_dynamic(round / 3) : from_environment();
    Schedule second = schedules[static_cast<std::size_t>(round / 2) % schedules.size()];
    if (round % 2 != 0) std::swap(first, second);
    set(first);
    HitsList hits = check::hits_list(12, k_width), inner = check::hits_list(3, k_width);
#pragma omp parallel num_threads(3)
    {
      const int me = omp_get_thread_num();
      for (std::size_t k = 0; k < hits.size(); ++k) {
        if (k == 4 && (round / 8 >> me & 1) != 0) set(second);
        if (k == 8) set(first);
        check::served(hits[k]);
      }
      set(me == 0 ? second : first);
      Hits& below = inner[static_cast<std::size_t>(me)];
#pragma omp parallel for schedule(runtime) num_threads(2)
      for (std::size_t i = 0; i < k_width; ++i) below.touch(i);
    }
    check::must_be_one_each(hits, "loop of a team whose members' schedules differ");
    check::must_be_one_each(inner, "loop in a region of a member that changed its schedule");
  }
  set(from_environment());
}

#endif // __clang__

void tasks_have_their_own() {
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int t = 0; t < 60; ++t) {
#pragma omp task firstprivate(t)
    {
      const Schedule mine{t % 2 == 0 ? omp_sched_dynamic : omp_sched_guided, t + 1};
      if (!(get() == from_environment())) ++wrong;
      set(mine);
#pragma omp parallel for schedule(runtime) num_threads(2)
      for (int i = 0; i < 20; ++i) {
        if (!(get() == mine)) ++wrong;
      }
      if (!(get() == mine)) ++wrong;
    }
  }
  CHECK(wrong == 0, "%d", wrong.load());
  MUST_BE(from_environment(), "after the tasks");
}

/// Tasks have schedules of their own, whichever member executes them: the members' are as they were.
void tasks_of_others_set_theirs() {
  for (const Schedule outer : {Schedule{omp_sched_static, 64}, own_or_dynamic(1), own_or_dynamic(2)}) {
    Hits hits(k_width);
    std::atomic<bool> done{false};
#pragma omp parallel num_threads(3)
    {
      if (omp_get_thread_num() == 0 && omp_get_num_threads() > 1) {
#pragma omp task if (0) shared(done)
        {
          set(outer);
#pragma omp task shared(done) // it begins with the schedule of this one
          set(k_guided), done = true;
          // So that a member at the barrier executes it. OpenMP does not promise that one does.
          for (int k = 0; k < 20'000 && !done; ++k) sched_yield();
        }
      }
#pragma omp barrier
#pragma omp for schedule(runtime)
      for (std::size_t i = 0; i < k_width; ++i) hits.touch(i);
    }
    hits.must_be_one_each("loop of a team that has executed tasks");
  }
}

void new_roots_start_from_the_environment() {
  set(k_guided);
  std::thread([] {
    MUST_BE(from_environment(), "on a new root");
    run_loop("loop of a new root");
    set({omp_sched_dynamic, 77});
    MUST_BE((Schedule{omp_sched_dynamic, 77}), "on a new root after set");
  }).join();
  MUST_BE(k_guided, "on the old root");
  set(from_environment());
}

} // namespace

int main(int argc, char** argv) {
  library = check::flag(argc, argv, "--library");
  asked = check::flag(argc, argv, "--asked");
  asked_kind = own_schedule(static_cast<unsigned>(check::number(argc, argv, "--kind", 0)));
  omp_set_dynamic(0);
  omp_set_max_active_levels(3);
  return check::run(argc, argv,
                    {CASE(environment_gives_the_first_value), CASE(get_after_set), CASE(regions_inherit),
                     CASE(changes_inside_do_not_leak), CASE(all_members_change_in_a_region),
#ifndef __clang__
                     CASE(members_set_late), CASE(one_member_sets),
#else
                     CASE(members_differ_in_a_region),
#endif
                     CASE(tasks_have_their_own), CASE(tasks_of_others_set_theirs),
                     CASE(new_roots_start_from_the_environment)});
}
