// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of clang and of GCC in one process on one libomp, in each other's bodies.
#include "hits.h"
#include "omp_decls.h"

#include <atomic>

extern "C" long gcc_loops(void (*in_the_body)(void));
extern "C" void gcc_region(void (*member)(void*), void* data);

namespace {

std::atomic<int> wrong{0};

void clang_region() {
  check::Hits hits(100);
#pragma omp parallel for schedule(runtime) num_threads(2)
  for (std::size_t i = 0; i < 100; ++i) hits.touch(i);
  hits.must_be_one_each("loop of clang in a body of GCC");
}

void gcc_inside_of_clang() {
  for (int round = 0; round < 20; ++round) {
    check::Hits hits(40), after(200);
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(runtime) nowait
      for (std::size_t i = 0; i < 40; ++i) {
        hits.touch(i);
        if (i % 8 == 0 && gcc_loops(nullptr) != 39'800) ++wrong;
      }
#pragma omp for schedule(runtime)
      for (std::size_t i = 0; i < 200; ++i) after.touch(i);
    }
    hits.must_be_one_each("loop of clang around regions of GCC");
    after.must_be_one_each("loop of clang after regions of GCC");
  }
  CHECK(wrong == 0, "%d", wrong.load());
}

void clang_inside_of_gcc() {
  for (int round = 0; round < 20; ++round) CHECK(gcc_loops(clang_region) == 39'800, "round %d", round);
}

/// Orphaned loops of clang, for members of a region of GCC.
void orphaned(void* data) {
  check::HitsList& hits = *static_cast<check::HitsList*>(data);
  for (check::Hits& each : hits) {
#pragma omp for schedule(runtime) nowait
    for (std::size_t i = 0; i < each.size(); ++i) each.touch(i);
  }
#pragma omp for schedule(runtime) ordered
  for (std::size_t i = 0; i < 50; ++i) {
#pragma omp ordered
    hits[0].touch(i);
  }
}

void loops_of_clang_in_regions_of_gcc() {
  for (int round = 0; round < 20; ++round) {
    check::HitsList hits = check::hits_list(12, 100);
    gcc_region(orphaned, &hits);
    for (std::size_t k = 0; k < hits.size(); ++k)
      for (std::size_t i = 0; i < 100; ++i)
        CHECK(hits[k][i] == (k == 0 && i < 50 ? 2u : 1u), "loop %zu, iteration %zu: %u", k, i, hits[k][i]);
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(3);
  return check::run(argc, argv,
                    {{"gcc_inside_of_clang", gcc_inside_of_clang},
                     {"clang_inside_of_gcc", clang_inside_of_gcc},
                     {"loops_of_clang_in_regions_of_gcc", loops_of_clang_in_regions_of_gcc}});
}
