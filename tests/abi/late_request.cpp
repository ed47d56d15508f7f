// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: a region that is open when the first request for one of our schedules comes, from one of its
// members alone. The standard wants one value in all members, but the runtimes get along with it: libomp goes
// by what was there when the region was opened. To be run with a schedule that is not ours; the library is
// asleep before.
#include "hits.h"
#include "omp_decls.h"

#include <atomic>
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

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv, {{"of_one_member", of_one_member}});
}
