// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: members of a team that are many nowait loops apart. (Loops of mixed kinds one after the other:
// tests/across/properties.)
#include "hits.h"
#include "omp_decls.h"

#include <atomic>
#include <sched.h>

namespace {

using check::HitsList;

constexpr std::size_t k_width = 61;
constexpr int k_n = static_cast<int>(k_width);

void slow_member() {
  // One member arrives long after the others have filled every slot that they may have.
  for (int round = 0; round < check::repeat(8, 100); ++round) {
    HitsList hits = check::hits_list(60, k_width);
#pragma omp parallel
    {
      const bool slow = omp_get_thread_num() == round % omp_get_num_threads();
      for (std::size_t i = 0; i < hits.size(); ++i) {
        if (slow && i % 20 == 7) check::spin(1'500'000);
        check::served(hits[i]);
      }
    }
    check::must_be_one_each(hits, "nowait with a slow member");
  }
}

void seven_loops_apart() {
  // libomp lets members be seven dispatched loops apart. A program may count on that much, so waiting inside
  // an iteration for a member five loops ahead must end. Each loop hands out its iterations to the members
  // that came, in more chunks than there are members: where the parts are fixed each has one of its own.
  constexpr int k_many = 20 * k_n;
  for (int round = 0; round < check::repeat(10, 200); ++round) {
    HitsList hits = check::hits_list(7, k_many);
    std::atomic<bool> ahead{false};
#pragma omp parallel num_threads(3)
    {
      if (omp_get_thread_num() == 0)
        while (!ahead.load(std::memory_order_acquire)) sched_yield();
      for (std::size_t i = 0; i < hits.size(); ++i) {
#pragma omp for schedule(runtime) nowait
        for (int k = 0; k < k_many; ++k) {
          hits[i].touch(k);
          if (i == 5) ahead.store(true, std::memory_order_release);
        }
      }
    }
    check::must_be_one_each(hits, "members seven loops apart");
  }
}

#ifndef __clang__
/// One member waits in the first loop for what another does behind the last one.
void member_that_waits(std::size_t loops) {
  HitsList hits = check::hits_list(loops, 10);
  std::atomic<bool> passed{false};
#pragma omp parallel num_threads(2)
  {
    const bool slow = omp_get_thread_num() == 0;
    for (std::size_t k = 0; k < loops; ++k) {
      bool first = true;
#pragma omp for schedule(runtime) nowait
      for (std::size_t i = 0; i < 10; ++i) {
        hits[k].touch(i);
        while (slow && k == 0 && first && !passed) sched_yield();
        first = false;
      }
    }
    passed = true;
  }
  check::must_be_one_each(hits, "loop of a region in which one member is ahead");
}

/// libgomp's loops have no limit there; libomp's own hang after seven.
void more_loops_apart_than_a_ring_has() {
  for (const std::size_t loops : {7U, 8U, 9U, 10U, 17U, 40U}) member_that_waits(loops);
}
#endif

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv,
                    {
                        CASE(slow_member),
                        CASE(seven_loops_apart),
#ifndef __clang__
                        CASE(more_loops_apart_than_a_ring_has),
#endif
                    });
}
