// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: a region that is open when the first request for one of our schedules comes, from one of its
// members alone: runtimes get along with it. To be run with a schedule that is not ours; the library is
// asleep before.
//   --changes-environment   with OMP_SCHEDULE=wstree: the program sets it to static before libomp looks at it
#include "hits.h"
#include "omp_decls.h"

#include <atomic>
#include <cstdlib>
#include <sched.h>
#include <vector>

namespace {

using check::HitsList;

constexpr std::size_t k_n = 1000;

/// Holds each member in its first iteration until all have one, or one of them has found that there is none.
class Meeting {
public:
  void arrive() {
    ++arrived_;
    while (arrived_ < 3 && left_ == 0) sched_yield();
  }
  void leave() { ++left_; }

private:
  std::atomic<int> arrived_{0}, left_{0};
};

void of_one_member() {
  std::atomic<int> members{0}; // the first region of all is not yet one of a library that is asleep
#pragma omp parallel num_threads(3)
  ++members;
  for (unsigned which = 0; which < 2 * k_own_schedules; ++which) { // asleep only the first time
    HitsList hits = check::hits_list(4, k_n);
    std::vector<Meeting> meetings(hits.size());
#pragma omp parallel num_threads(3)
    {
      if (omp_get_thread_num() == 1) omp_set_schedule(own_schedule(which % k_own_schedules), 1);
      for (std::size_t k = 0; k < hits.size(); ++k) {
        bool has_some = false;
#pragma omp for schedule(runtime) nowait
        for (std::size_t i = 0; i < k_n; ++i) {
          hits[k].touch(i);
          if (!has_some) meetings[k].arrive();
          has_some = true;
        }
        meetings[k].leave();
      }
    }
    check::must_be_one_each(hits, "loop of a region with a member that asks for us");
  }
}

/// The region begins by a schedule that is not ours, and its members set one of ours that comes so late that
/// what stands for it in the runtime is no chunk that a program would ask for.
void of_all_members_after_many_others() {
  constexpr int k_others = 70;
  constexpr long k_step = 1L << 33;
  for (unsigned which = 0; which < k_own_schedules; ++which) {
    for (int chunk = 1; chunk <= k_others; ++chunk) omp_set_schedule(own_schedule(which), chunk);
    omp_set_schedule(omp_sched_dynamic, 1);
    check::Hits hits(k_n);
#pragma omp parallel num_threads(3)
    {
      omp_set_schedule(own_schedule(which), k_others);
#pragma omp for schedule(runtime)
      for (long i = 0; i < static_cast<long>(k_n) * k_step; i += k_step) hits.touch(i / k_step);
    }
    hits.must_be_one_each("loop of a region whose members have set the last one of many schedules");
  }
}

/// The runtime's static loops give each member one piece.
void of_nobody() {
  omp_sched_t kind{};
  int chunk = 0;
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_static, "the runtime has looked at the environment before: kind %#x", kind);
  for (int round = 0; round < 3; ++round) {
    std::vector<int> owner(k_n, -1);
#pragma omp parallel for schedule(runtime) num_threads(4)
    for (std::size_t i = 0; i < k_n; ++i) {
      owner[i] = omp_get_thread_num();
      sched_yield();
    }
    for (std::size_t i = 0; i < k_n; ++i)
      CHECK(owner[i] == static_cast<int>(i / (k_n / 4)), "static iteration %zu on %d", i, owner[i]);
  }
}

} // namespace

int main(int argc, char** argv) {
  if (check::flag(argc, argv, "--changes-environment")) {
    setenv("OMP_SCHEDULE", "static", 1);
    omp_set_dynamic(0);
    return check::run(argc, argv, {CASE(of_nobody)});
  }
  omp_set_dynamic(0);
  return check::run(argc, argv, {CASE(of_one_member), CASE(of_all_members_after_many_others)});
}
