// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: what was reported of the runtimes' own dispatch, as programs. The numbers are those of the LLVM
// project's tracker.
#include "hits.h"
#include "omp_decls.h"

#include <atomic>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <thread>

namespace {

using check::Hits;

std::atomic<long> yields_of_the_library{0};

/// 54422: an assertion failed when several host threads ran dynamic nowait loops in teams of changing size.
void host_threads_with_teams_of_changing_size() {
  const auto root = [](int id) {
    for (int round = 0; round < check::repeat(10, 300); ++round)
      for (int members = 1; members < 6; ++members) {
        constexpr int k_n = 301;
        const int chunk = (members + id) % 3 + 2;
        long served = 0, forwarded = 0;
#pragma omp parallel num_threads(members) reduction(+ : served, forwarded)
        {
#pragma omp for schedule(runtime) nowait
          for (int i = 0; i < k_n; ++i) served += i;
#pragma omp for schedule(dynamic, chunk) nowait
          for (int i = 0; i < k_n; ++i) forwarded += i;
        }
        constexpr long k_sum = long{k_n} * (k_n - 1) / 2;
        CHECK(served == k_sum, "%ld with %d members", served, members);
        CHECK(forwarded == k_sum, "%ld with %d members", forwarded, members);
      }
  };
  std::vector<std::thread> roots;
  for (int id = 0; id < 3; ++id) roots.emplace_back(root, id);
  for (std::thread& each : roots) each.join();
}

/// 132164, 86995: assertions and hangs of static_steal with short loops, chunks that are larger than a share,
/// and members that sleep while they wait. The tests run this with passive waiting, too.
void short_loops_of_sleepy_members() {
  for (int round = 0; round < check::repeat(300, 20'000); ++round) {
    Hits first(static_cast<std::size_t>(14 + round % 20)), second(3);
    const int members = 2 + round % 7;
#pragma omp parallel num_threads(members)
    {
#pragma omp for schedule(runtime)
      for (std::size_t i = 0; i < first.size(); ++i) first.touch(i);
#pragma omp for schedule(runtime)
      for (std::size_t i = 0; i < second.size(); ++i) second.touch(i);
    }
    first.must_be_one_each("short loop");
    second.must_be_one_each("loop with fewer iterations than members");
  }
}

/// 208405: members that had nothing left to do gave their processor up thousands of times. Where they wait is
/// the runtime's business, but the library must not keep them in the loop.
void imbalance_without_a_storm_of_yields() {
  constexpr int k_loops = 50;
  const long before = yields_of_the_library;
  for (int loop = 0; loop < k_loops; ++loop) {
    Hits hits(64);
#pragma omp parallel for schedule(runtime) num_threads(4)
    for (std::size_t i = 0; i < hits.size(); ++i) {
      hits.touch(i);
      if (i == 5) check::spin(2'000'000);
    }
    hits.must_be_one_each("imbalanced loop");
  }
  const long yields = yields_of_the_library - before;
  CHECK(yields <= 100L * k_loops, "%ld yields of the library in %d loops", yields, k_loops);
}

} // namespace

/// Instead of the C library's: counts the calls that come from the library.
extern "C" int sched_yield() noexcept {
  Dl_info caller{};
  if (dladdr(__builtin_return_address(0), &caller) != 0 &&
      std::strstr(caller.dli_fname, "libwstree") != nullptr)
    ++yields_of_the_library;
  return static_cast<int>(syscall(SYS_sched_yield));
}

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv,
                    {CASE(host_threads_with_teams_of_changing_size), CASE(short_loops_of_sleepy_members),
                     CASE(imbalance_without_a_storm_of_yields)});
}
