// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: cancellation. A cancelled member leaves a loop without having been told that it is over, and no
// call marks its going. Needs OMP_CANCELLATION=true. GCC's runtime does all of this; there is no run on bare
// libomp: it hangs when seven dispatched loops follow a cancelled one in the same region, and in the next
// region on the same team it loses iterations. Teams have two members or more: in a team of one libomp never
// takes a cancellation back.
#include "hits.h"
#include "omp_decls.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace {

using check::Hits;
using check::HitsList;

constexpr int k_n = 500;

void at_most_one_each(const Hits& hits, const char* what) {
  for (std::size_t i = 0; i < hits.size(); ++i)
    CHECK(hits[i] <= 1, "iteration %zu ran %u times: %s", i, hits[i], what);
}

void one_cancelled_loop() {
  for (int round = 0; round < check::repeat(50, 500); ++round) {
    Hits cut(k_n), whole(k_n);
    const int where = (round * 31) % k_n;
#pragma omp parallel num_threads(2 + round % 4)
    {
#pragma omp for schedule(runtime)
      for (int i = 0; i < k_n; ++i) {
        cut.touch(static_cast<std::size_t>(i));
        if (i == where) {
#pragma omp cancel for
        }
#pragma omp cancellation point for
      }
#pragma omp for schedule(runtime)
      for (int i = 0; i < k_n; ++i) whole.touch(static_cast<std::size_t>(i));
    }
    at_most_one_each(cut, "cancelled loop");
    CHECK(cut[static_cast<std::size_t>(where)] == 1, "the iteration that cancelled, %d, did not run", where);
    whole.must_be_one_each("loop behind a cancelled one");
  }
}

/// `loops` loops in one region; those that `is_cut` names are cancelled by one of their iterations.
template <class IsCut> void chain(std::size_t loops, int members, IsCut&& is_cut) {
  HitsList hits = check::hits_list(loops, k_n);
#pragma omp parallel num_threads(members)
  for (std::size_t k = 0; k < loops; ++k) {
    const int where = is_cut(k) ? static_cast<int>(k * 17 % k_n) : -1;
#pragma omp for schedule(runtime)
    for (int i = 0; i < k_n; ++i) {
      hits[k].touch(static_cast<std::size_t>(i));
      if (i == where) {
#pragma omp cancel for
      }
      if (i % 8 == 0) {
#pragma omp cancellation point for
      }
    }
  }
  for (std::size_t k = 0; k < loops; ++k) {
    if (is_cut(k))
      at_most_one_each(hits[k], "cancelled loop of a chain");
    else
      hits[k].must_be_one_each("loop in a chain with cancelled ones");
  }
}

void many_loops_after_a_cancelled_one() {
  for (int round = 0; round < check::repeat(10, 100); ++round)
    chain(60, 2 + round % 4, [](std::size_t k) { return k == 0; });
}

void every_loop_is_cancelled() {
  for (int round = 0; round < check::repeat(10, 100); ++round)
    chain(60, 2 + round % 3, [](std::size_t) { return true; });
}

void cancelled_and_forwarded_loops() {
  for (int round = 0; round < check::repeat(10, 100); ++round) {
    HitsList hits = check::hits_list(30, k_n);
#pragma omp parallel num_threads(3)
    for (std::size_t k = 0; k < 10; ++k) {
#pragma omp for schedule(runtime)
      for (int i = 0; i < k_n; ++i) {
        hits[3 * k].touch(static_cast<std::size_t>(i));
        if (i == 100) {
#pragma omp cancel for
        }
      }
#pragma omp for schedule(dynamic, 7) nowait
      for (int i = 0; i < k_n; ++i) hits[3 * k + 1].touch(static_cast<std::size_t>(i));
#pragma omp for ordered schedule(runtime)
      for (int i = 0; i < k_n; ++i) {
#pragma omp ordered
        hits[3 * k + 2].touch(static_cast<std::size_t>(i));
      }
    }
    for (std::size_t k = 0; k < hits.size(); ++k) {
      if (k % 3 == 0)
        at_most_one_each(hits[k], "cancelled");
      else
        hits[k].must_be_one_each("forwarded loop behind a cancelled one");
    }
  }
}

void in_one_of_several_roots() {
  const auto root = [](bool cancels) {
    for (int round = 0; round < check::repeat(10, 200); ++round)
      chain(20, 2, [cancels](std::size_t k) { return cancels && k % 3 == 0; });
  };
  std::thread a(root, true), b(root, false), c(root, false);
  a.join();
  b.join();
  c.join();
}

void region_with_one_loop(Hits& hits, bool is_cut) {
#pragma omp parallel num_threads(2)
#pragma omp for schedule(runtime)
  for (int i = 0; i < k_n; ++i) {
    hits.touch(static_cast<std::size_t>(i));
    if (i == 50 && is_cut) {
#pragma omp cancel for
    }
  }
}

void nested_loop_is_cancelled() {
  for (int round = 0; round < check::repeat(10, 100); ++round) {
    HitsList inner = check::hits_list(12, k_n);
    Hits outer(12), after(k_n);
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(runtime) nowait
      for (int a = 0; a < 12; ++a) {
        outer.touch(static_cast<std::size_t>(a));
        region_with_one_loop(inner[static_cast<std::size_t>(a)], a % 2 == 0);
      }
#pragma omp for schedule(runtime)
      for (int i = 0; i < k_n; ++i) after.touch(static_cast<std::size_t>(i));
    }
    outer.must_be_one_each("outer loop around a cancelled one");
    after.must_be_one_each("outer loop behind a cancelled inner one");
    for (std::size_t a = 0; a < inner.size(); ++a) {
      if (a % 2 == 0)
        at_most_one_each(inner[a], "cancelled inner loop");
      else
        inner[a].must_be_one_each("inner loop");
    }
  }
}

/// One member cancels the region after its second loop and waits for its end; the others go on to the next
/// barrier, through many more loops than a ring of loops has slots.
void cancelled_region() {
  constexpr std::size_t loops = 40;
  for (int round = 0; round < check::repeat(20, 300); ++round) {
    HitsList cut = check::hits_list(loops, 50);
    Hits whole(k_n);
    const int members = 2 + round % 3;
    std::atomic<int> seen{0};
#pragma omp parallel num_threads(members)
    {
      ++seen;
      for (std::size_t k = 0; k < loops; ++k) {
#pragma omp for schedule(runtime) nowait
        for (std::size_t i = 0; i < 50; ++i) cut[k].touch(i);
        if (omp_get_thread_num() == round % members && k == 1) {
#pragma omp cancel parallel
        }
      }
      // Compilers end a cancelled region with a barrier, so every member has to come to one.
#pragma omp barrier
    }
    CHECK(seen == members, "%d", seen.load());
    for (const Hits& each : cut) at_most_one_each(each, "loop in a cancelled region");
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < k_n; ++i) whole.touch(static_cast<std::size_t>(i));
    whole.must_be_one_each("region behind a cancelled one");
  }
}

/// Member 0 is a ring of loops ahead and waits for longer than a ring lasts elsewhere. Then the other one
/// comes, and cancels the region. From then on it executes no part of a loop that member 0 may have left to
/// it: where iterations seem long, member 0 starts iteration n-1 before the rest.
void a_late_member_cancels_the_region() {
  constexpr std::size_t loops = 40;
  constexpr std::size_t far = 8;
  for (int round = 0; round < check::repeat(1, 10); ++round) {
    HitsList hits = check::hits_list(loops, 50);
    std::atomic<std::size_t> passed{0};
#pragma omp parallel num_threads(2)
    {
      const bool late = omp_get_thread_num() == 1;
      if (late) {
        while (passed < far) std::this_thread::yield();
        using Clock = std::chrono::steady_clock;
        const Clock::time_point until = Clock::now() + std::chrono::milliseconds(300);
        while (Clock::now() < until) std::this_thread::yield();
      }
      for (std::size_t k = 0; k < loops; ++k) {
#pragma omp for schedule(runtime) nowait
        for (std::size_t i = 0; i < 50; ++i) hits[k].touch(i);
        if (late) {
#pragma omp cancel parallel
        }
        ++passed;
      }
#pragma omp barrier
    }
    CHECK(passed == loops, "member 0 went through %zu loops", passed.load());
    hits[0].must_be_one_each("the loop in which a late member cancels the region");
    for (const Hits& each : hits) at_most_one_each(each, "loop of a region that a late member cancels");
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  if (!omp_get_cancellation()) {
    std::fputs("set OMP_CANCELLATION=true\n", stderr);
    return 2;
  }
  return check::run(argc, argv,
                    {{"one_cancelled_loop", one_cancelled_loop},
                     {"many_loops_after_a_cancelled_one", many_loops_after_a_cancelled_one},
                     {"every_loop_is_cancelled", every_loop_is_cancelled},
                     {"cancelled_and_forwarded_loops", cancelled_and_forwarded_loops},
                     {"in_one_of_several_roots", in_one_of_several_roots},
                     {"nested_loop_is_cancelled", nested_loop_is_cancelled},
                     {"cancelled_region", cancelled_region},
                     {"a_late_member_cancels_the_region", a_late_member_cancels_the_region}});
}
