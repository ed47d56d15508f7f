// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: a member that is many nowait loops ahead of one that waits for what the first one does in the last
// of them. libgomp's loops have no limit there; libomp's own hang after seven, so this is for libgomp.
#include "hits.h"
#include "omp_decls.h"

#include <atomic>
#include <sched.h>

namespace {

using check::HitsList;

void of_loops_that_wait(std::size_t loops) {
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

void of_more_than_a_ring() {
  for (const std::size_t loops : {7, 8, 9, 10, 17, 40}) of_loops_that_wait(loops);
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv, {{"of_more_than_a_ring", of_more_than_a_ring}});
}
