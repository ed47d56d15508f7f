// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of clang and of GCC in one process on one libomp, in each other's bodies. GCC's regions are forked inside the
// runtime, out of the library's sight.
#include "hits.h"
#include "omp_decls.h"

#include <atomic>

extern "C" long gcc_loops(void (*in_the_body)(void));

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

void one_inside_the_other_and_back() {
  for (int round = 0; round < 10; ++round) {
    check::Hits hits(20);
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (std::size_t i = 0; i < 20; ++i) {
      if (gcc_loops(i % 5 == 0 ? clang_region : nullptr) != 39'800) ++wrong;
      hits.touch(i);
    }
    hits.must_be_one_each("clang around GCC around clang");
  }
  CHECK(wrong == 0, "%d", wrong.load());
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(3);
  return check::run(argc, argv,
                    {{"gcc_inside_of_clang", gcc_inside_of_clang},
                     {"clang_inside_of_gcc", clang_inside_of_gcc},
                     {"one_inside_the_other_and_back", one_inside_the_other_and_back}});
}
