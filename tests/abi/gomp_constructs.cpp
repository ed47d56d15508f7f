// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: constructs whose compiled code uses GCC's loop entries in its own way, each next to loops of the
// tree: task reductions (they start loops by a general entry), conditional lastprivate and scans (they share
// memory through it), target regions on the host, and loops outside of any region.
#include "hits.h"
#include "omp_decls.h"

#include <atomic>

namespace {

using check::Hits;
using check::HitsList;
using check::served;
using Size = unsigned long;

constexpr Size k_n = 300;
/// A bound that the compiler does not know: gcc uses the entries with "ull" only for bounds that may need
/// 64 unsigned bits.
Size limit = k_n;

void region_with_a_task_reduction() {
  for (int round = 0; round < check::repeat(20, 300); ++round) {
    long sum = 0;
    Hits hits(k_n);
#pragma omp parallel reduction(task, + : sum) num_threads(1 + round % 4)
    {
      served(hits);
#pragma omp single
      for (int i = 0; i < 50; ++i) {
#pragma omp task in_reduction(+ : sum)
        sum += 3;
      }
    }
    CHECK(sum == 150, "%ld", sum);
    hits.must_be_one_each("loop in a region with a task reduction");
    long both = 0;
#pragma omp parallel for schedule(runtime) reduction(task, + : both)
    for (long i = 10; i > 0; --i) {
#pragma omp task in_reduction(+ : both) firstprivate(i)
      both += i;
    }
    CHECK(both == 55, "%ld", both);
  }
}

void conditional_lastprivate() {
  for (int round = 0; round < check::repeat(20, 300); ++round) {
    Hits before(k_n), behind(k_n);
    Size x = 77, y = 78;
    int z = 79;
#pragma omp parallel num_threads(1 + round % 5)
    {
      served(before);
#pragma omp for schedule(runtime) lastprivate(conditional : x)
      for (Size i = 0; i < limit; ++i)
        if (i % 64 == 3) x = i;
#pragma omp for schedule(runtime) lastprivate(conditional : y)
      for (Size i = 1; i < limit;
           i += 2) // upwards: gcc 12 gets the last value of loops that count down wrong by itself
        if (i % 50 == 7) y = i;
#pragma omp for collapse(2) schedule(runtime) lastprivate(conditional : z)
      for (int i = 0; i < 20; ++i)
        for (int j = 0; j < 10; ++j)
          if (i * j % 13 == 5) z = 100 * i + j;
      served(behind);
    }
    int wanted = 79;
    for (int i = 0; i < 20; ++i)
      for (int j = 0; j < 10; ++j)
        if (i * j % 13 == 5) wanted = 100 * i + j;
    CHECK(x == 259 && y == 257 && z == wanted, "%lu %lu %d instead of 259 257 %d", x, y, z, wanted);
    before.must_be_one_each("loop before a conditional lastprivate");
    behind.must_be_one_each("loop behind a conditional lastprivate");
  }
}

void scans() {
  for (int round = 0; round < check::repeat(20, 200); ++round) {
    long sum = 0;
    std::vector<long> prefix(k_n);
    Hits before(k_n), behind(k_n);
#pragma omp parallel num_threads(1 + round % 4)
    {
      served(before);
#pragma omp for reduction(inscan, + : sum)
      for (Size i = 0; i < limit; ++i) {
        sum += static_cast<long>(i);
#pragma omp scan inclusive(sum)
        prefix[i] = sum;
      }
      served(behind);
    }
    for (Size i = 0; i < limit; ++i)
      CHECK(prefix[i] == static_cast<long>(i * (i + 1) / 2), "%lu: %ld", i, prefix[i]);
    before.must_be_one_each("loop before a scan");
    behind.must_be_one_each("loop behind a scan");
  }
}

void target_regions() {
  for (int round = 0; round < check::repeat(5, 100); ++round) {
    int counts[k_n] = {}, more[k_n] = {};
#pragma omp target map(tofrom : counts)
#pragma omp parallel for schedule(runtime)
    for (Size i = 0; i < limit; ++i) ++counts[i];
#pragma omp target teams distribute parallel for schedule(runtime) num_teams(2) thread_limit(3) map(tofrom   \
                                                                                                    : more)
    for (Size i = limit; i > 0; --i) ++more[i - 1];
    for (Size i = 0; i < limit; ++i)
      CHECK(counts[i] == 1 && more[i] == 1, "%lu: %d %d", i, counts[i], more[i]);
  }
}

void outside_of_any_region() {
  for (int round = 0; round < check::repeat(10, 100); ++round) {
    HitsList hits = check::hits_list(3, k_n);
    static Size x = 0; // the compiler takes automatic variables for private ones here
    static long sum = 0;
    sum = 0;
    std::size_t ordered = 0;
    served(hits[0]);
#pragma omp for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 100; ++i) sum += i;
#pragma omp for schedule(runtime) lastprivate(x)
    for (Size i = limit; i > 0; --i) x = i;
#pragma omp for schedule(runtime) ordered
    for (Size i = 0; i < limit; ++i) {
#pragma omp ordered
      if (ordered == i) ++ordered;
    }
    served(hits[1]);
#pragma omp parallel num_threads(1 + round % 4)
    served(hits[2]);
    CHECK(sum == 4950 && x == 1 && ordered == k_n, "%ld %lu %zu", sum, x, ordered);
    check::must_be_one_each(hits, "loop outside of any region");
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv,
                    {CASE(region_with_a_task_reduction), CASE(conditional_lastprivate), CASE(scans),
                     CASE(target_regions), CASE(outside_of_any_region)});
}
