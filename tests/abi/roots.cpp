// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: several root threads. pthreads that open regions at the same time, that end and are replaced, that
// use different team sizes and kinds of loops, and one whose loops are cancelled while the others work.
#include "hits.h"
#include "omp_decls.h"

#include <thread>

namespace {

using check::Hits;
using check::HitsList;

constexpr std::size_t k_width = 150;

/// What one root does: regions of changing size with served, forwarded and nowait loops.
void work_of_a_root(std::uint64_t seed, int regions) {
  check::Random random(seed);
  for (int region = 0; region < regions; ++region) {
    HitsList hits = check::hits_list(5, k_width);
    const int members = 1 + static_cast<int>(random.below(4));
#pragma omp parallel num_threads(members)
    {
#pragma omp for schedule(runtime) nowait
      for (std::size_t i = 0; i < k_width; ++i) hits[0].touch(i);
#pragma omp for schedule(dynamic, 3) nowait
      for (std::size_t i = 0; i < k_width; ++i) hits[1].touch(i);
#pragma omp for schedule(runtime) nowait
      for (std::size_t i = k_width; i > 0; --i) hits[2].touch(i - 1);
#pragma omp for schedule(runtime)
      for (std::size_t i = 0; i < k_width; ++i) hits[3].touch(i);
#pragma omp for ordered schedule(runtime)
      for (std::size_t i = 0; i < k_width; ++i) {
#pragma omp ordered
        hits[4].touch(i);
      }
    }
    check::must_be_one_each(hits, "loops of one of several roots");
  }
}

void several_roots() {
  std::vector<std::thread> roots;
  for (std::uint64_t id = 0; id < 4; ++id)
    roots.emplace_back(work_of_a_root, check::settings.seed + id, check::repeat(30, 1000));
  work_of_a_root(check::settings.seed + 99, check::repeat(30, 1000));
  for (std::thread& root : roots) root.join();
}

void roots_come_and_go() {
  for (int generation = 0; generation < check::repeat(20, 200); ++generation) {
    std::vector<std::thread> roots;
    for (std::uint64_t id = 0; id < 2; ++id)
      roots.emplace_back(work_of_a_root,
                         check::settings.seed + 7 * static_cast<std::uint64_t>(generation) + id, 3);
    work_of_a_root(check::settings.seed, 1);
    for (std::thread& root : roots) root.join();
  }
}

void a_root_that_starts_inside_a_served_loop() {
  for (int round = 0; round < check::repeat(5, 50); ++round) {
    Hits outer(12);
#pragma omp parallel for schedule(runtime) num_threads(3)
    for (std::size_t i = 0; i < outer.size(); ++i) {
      if (i % 4 == 0) std::thread(work_of_a_root, check::settings.seed + i, 2).join();
      outer.touch(i);
    }
    outer.must_be_one_each("loop whose body starts a root");
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv,
                    {{"several_roots", several_roots},
                     {"roots_come_and_go", roots_come_and_go},
                     {"a_root_that_starts_inside_a_served_loop", a_root_that_starts_inside_a_served_loop}});
}
