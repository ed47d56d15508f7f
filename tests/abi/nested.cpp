// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: nested regions, active and serialised, if(0), regions and loops in tasks, a region inside the body
// of a served loop, a loop inside a nested region of a forwarded loop, loops orphaned in functions.
#include "hits.h"
#include "omp_decls.h"

#include <atomic>

namespace {

using check::Hits;
using check::HitsList;

constexpr std::size_t k_width = 200;

void fill(Hits& hits) { // orphaned: binds to whatever region its caller is in
#pragma omp for schedule(runtime)
  for (std::size_t i = 0; i < hits.size(); ++i) hits.touch(i);
}

void fill_nowait(Hits& hits) {
#pragma omp for schedule(runtime) nowait
  for (std::size_t i = 0; i < hits.size(); ++i) hits.touch(i);
}

void region_in_the_body_of_a_served_loop() {
  for (int round = 0; round < check::repeat(10, 200); ++round) {
    HitsList inner = check::hits_list(40, k_width);
    Hits outer(inner.size());
#pragma omp parallel for schedule(runtime)
    for (std::size_t i = 0; i < inner.size(); ++i) {
      outer.touch(i);
#pragma omp parallel for schedule(runtime) num_threads(1 + static_cast <int>(i % 3))
      for (std::size_t k = 0; k < k_width; ++k) inner[i].touch(k);
    }
    outer.must_be_one_each("outer loop");
    check::must_be_one_each(inner, "loop in a region in a served loop");
  }
}

void loop_in_a_region_in_a_forwarded_loop() {
  for (int round = 0; round < check::repeat(10, 200); ++round) {
    HitsList inner = check::hits_list(20, k_width);
#pragma omp parallel for ordered schedule(runtime)
    for (std::size_t i = 0; i < inner.size(); ++i) {
#pragma omp parallel num_threads(2)
      fill(inner[i]);
#pragma omp ordered
      CHECK(inner[i][0] == 1, "%u", inner[i][0]);
    }
    check::must_be_one_each(inner, "loop in a region in an ordered loop");
  }
}

void serialised_by_if() {
  for (int round = 0; round < check::repeat(50, 500); ++round) {
    HitsList hits = check::hits_list(6, k_width);
    const bool active = round % 2 == 0;
#pragma omp parallel if (active)
    {
      fill_nowait(hits[0]);
#pragma omp single
      {
#pragma omp parallel if (0)
        {
          CHECK(omp_get_num_threads() == 1, "%d", omp_get_num_threads());
          fill(hits[1]);
          fill_nowait(hits[2]);
        }
      }
      fill(hits[3]);
    }
#pragma omp parallel for schedule(runtime) if (active)
    for (std::size_t i = 0; i < k_width; ++i) hits[4].touch(i);
    fill(hits[5]); // outside of any region
    check::must_be_one_each(hits, "if(0) and serial loops");
  }
}

void beyond_the_active_levels() {
  omp_set_max_active_levels(1);
  for (int round = 0; round < check::repeat(20, 200); ++round) {
    HitsList inner = check::hits_list(8, k_width);
    HitsList outer = check::hits_list(2, k_width);
#pragma omp parallel num_threads(4)
    {
      const std::size_t me = static_cast<std::size_t>(omp_get_thread_num());
      fill_nowait(outer[0]);
#pragma omp parallel num_threads(2)
      fill(inner[me]);
#pragma omp parallel num_threads(3)
      {
#pragma omp parallel
        fill(inner[4 + me]);
      }
      fill_nowait(outer[1]);
    }
    check::must_be_one_each(inner, "serialised nested regions");
    check::must_be_one_each(outer, "outer loops around serialised regions");
  }
  omp_set_max_active_levels(4);
}

void regions_in_tasks() {
  for (int round = 0; round < check::repeat(10, 200); ++round) {
    HitsList hits = check::hits_list(30, k_width);
    HitsList around = check::hits_list(3, k_width);
#pragma omp parallel num_threads(3)
    {
      fill_nowait(around[0]);
#pragma omp single nowait
      for (std::size_t i = 0; i < hits.size(); ++i) {
#pragma omp task firstprivate(i) shared(hits)
        {
#pragma omp parallel for schedule(runtime) num_threads(2) if (i % 3 != 0)
          for (std::size_t k = 0; k < k_width; ++k) hits[i].touch(k);
        }
      }
      // Tasks are executed by members that are still or already inside these loops' barriers.
      fill(around[1]);
      fill(around[2]);
    }
    check::must_be_one_each(hits, "regions in tasks");
    check::must_be_one_each(around, "loops around tasks");
  }
}

void deep() {
  for (int round = 0; round < check::repeat(5, 50); ++round) {
    std::atomic<long> sum{0};
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int a = 0; a < 4; ++a) {
#pragma omp parallel for schedule(runtime) num_threads(2)
      for (int b = 0; b < 4; ++b) {
#pragma omp parallel for schedule(runtime) num_threads(2)
        for (int c = 0; c < 4; ++c) sum += 16 * a + 4 * b + c + 1;
      }
    }
    CHECK(sum == 64 * 65 / 2, "%ld", sum.load());
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(4);
  return check::run(argc, argv,
                    {{"region_in_the_body_of_a_served_loop", region_in_the_body_of_a_served_loop},
                     {"loop_in_a_region_in_a_forwarded_loop", loop_in_a_region_in_a_forwarded_loop},
                     {"serialised_by_if", serialised_by_if},
                     {"beyond_the_active_levels", beyond_the_active_levels},
                     {"regions_in_tasks", regions_in_tasks},
                     {"deep", deep}});
}
