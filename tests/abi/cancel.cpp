// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: cancellation. No call marks the going of a cancelled member. Needs OMP_CANCELLATION=true. There is
// no run on bare libomp, which hangs or loses iterations behind a cancelled loop. Teams have two members or
// more: in a team of one libomp never takes a cancellation back. See tests/across/properties, too.
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

/// `loops` loops in one region; those that `is_cut` names are cancelled by one of their iterations.
template <class IsCut> void chain(std::size_t loops, int members, IsCut&& is_cut) {
  HitsList hits = check::hits_list(loops, k_n);
#pragma omp parallel num_threads(members)
  for (std::size_t k = 0; k < loops; ++k) {
    const int where = is_cut(k) ? static_cast<int>(k * 17 % k_n) : -1;
#pragma omp for schedule(runtime)
    for (int i = 0; i < k_n; ++i) {
      hits[k].touch(i);
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
        check::served(cut[k]);
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
    for (int i = 0; i < k_n; ++i) whole.touch(i);
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
        check::served(hits[k]);
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
  if (!omp_get_cancellation()) {
    std::fputs("set OMP_CANCELLATION=true\n", stderr);
    return 2;
  }
  return check::run(argc, argv,
                    {CASE(many_loops_after_a_cancelled_one), CASE(every_loop_is_cancelled),
                     CASE(in_one_of_several_roots), CASE(cancelled_region),
                     CASE(a_late_member_cancels_the_region)});
}
