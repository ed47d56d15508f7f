// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: nowait chains. Members are several loops apart, loops of all kinds are mixed (served, forwarded to
// the runtime, static, sections, single), and one member is slow.
#include "hits.h"
#include "omp_decls.h"

#include <algorithm>
#include <atomic>
#include <sched.h>

namespace {

using check::Hits;
using check::HitsList;

constexpr std::size_t k_width = 61;
constexpr int k_n = static_cast<int>(k_width);

void plain_chain() {
  for (int round = 0; round < check::repeat(20, 500); ++round) {
    HitsList hits = check::hits_list(100, k_width);
#pragma omp parallel
    for (Hits& each : hits) {
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < k_n; ++i) each.touch(static_cast<std::size_t>(i));
    }
    check::must_be_one_each(hits, "nowait chain");
  }
}

/// One loop of the kind that `choice` names; every member of the team calls it with the same choice.
void loop_of_kind(unsigned choice, Hits& hits) {
  switch (choice % 10) {
  case 0:
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < k_n; ++i) hits.touch(static_cast<std::size_t>(i));
    break;
  case 1:
#pragma omp for schedule(dynamic, 2) nowait
    for (int i = 0; i < k_n; ++i) hits.touch(static_cast<std::size_t>(i));
    break;
  case 2:
#pragma omp for schedule(guided) nowait
    for (long i = 0; i < k_n; ++i) hits.touch(static_cast<std::size_t>(i));
    break;
  case 3:
#pragma omp for schedule(static) nowait
    for (int i = 0; i < k_n; ++i) hits.touch(static_cast<std::size_t>(i));
    break;
  case 4:
#pragma omp for schedule(runtime) ordered nowait
    for (int i = 0; i < k_n; ++i) {
#pragma omp ordered
      hits.touch(static_cast<std::size_t>(i));
    }
    break;
  case 5:
#pragma omp for schedule(monotonic : runtime) nowait
    for (int i = 0; i < k_n; ++i) hits.touch(static_cast<std::size_t>(i));
    break;
  case 6:
#pragma omp sections nowait
  {
#pragma omp section
    for (int i = 0; i < k_n / 2; ++i) hits.touch(static_cast<std::size_t>(i));
#pragma omp section
    for (int i = k_n / 2; i < k_n; ++i) hits.touch(static_cast<std::size_t>(i));
  } break;
  case 7:
#pragma omp single nowait
    for (int i = 0; i < k_n; ++i) hits.touch(static_cast<std::size_t>(i));
    break;
  case 8:
#pragma omp for schedule(runtime) nowait
    for (unsigned long i = k_width; i > 0; --i) hits.touch(i - 1);
    break;
  default:
#pragma omp for schedule(runtime)
    for (int i = 0; i < k_n; ++i) hits.touch(static_cast<std::size_t>(i));
    break;
  }
}

void mixed_kinds() {
  check::Random random(check::settings.seed);
  for (int round = 0; round < check::repeat(30, 1000); ++round) {
    std::vector<unsigned> choices(80);
    for (unsigned& choice : choices) choice = static_cast<unsigned>(random.below(10));
    HitsList hits = check::hits_list(choices.size(), k_width);
#pragma omp parallel num_threads(1 + round % 6)
    for (std::size_t i = 0; i < choices.size(); ++i) loop_of_kind(choices[i], hits[i]);
    check::must_be_one_each(hits, "mixed nowait kinds");
  }
}

void served_and_forwarded_alternate() {
  for (int round = 0; round < check::repeat(10, 300); ++round) {
    HitsList hits = check::hits_list(60, k_width);
#pragma omp parallel
    for (std::size_t i = 0; i < hits.size(); ++i) loop_of_kind(i % 2 == 0 ? 0 : 1 + (i / 2) % 5, hits[i]);
    check::must_be_one_each(hits, "served and forwarded loops in turn");
  }
}

void slow_member() {
  // One member arrives long after the others have filled every slot that they may have.
  for (int round = 0; round < check::repeat(8, 100); ++round) {
    HitsList hits = check::hits_list(60, k_width);
#pragma omp parallel
    {
      const bool slow = omp_get_thread_num() == round % omp_get_num_threads();
      for (std::size_t i = 0; i < hits.size(); ++i) {
        if (slow && i % 20 == 7) check::spin(1'500'000);
#pragma omp for schedule(runtime) nowait
        for (int k = 0; k < k_n; ++k) hits[i].touch(static_cast<std::size_t>(k));
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
          hits[i].touch(static_cast<std::size_t>(k));
          if (i == 5) ahead.store(true, std::memory_order_release);
        }
      }
    }
    check::must_be_one_each(hits, "members seven loops apart");
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv,
                    {{"plain_chain", plain_chain},
                     {"mixed_kinds", mixed_kinds},
                     {"served_and_forwarded_alternate", served_and_forwarded_alternate},
                     {"slow_member", slow_member},
                     {"seven_loops_apart", seven_loops_apart}});
}
