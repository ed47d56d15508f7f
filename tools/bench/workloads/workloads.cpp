// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipes.h"

namespace bench {

const char* name_of(Group group) {
  switch (group) {
  case Group::paper:
    return "paper";
  case Group::program:
    return "program";
  case Group::small:
    return "small";
  case Group::memory:
    return "memory";
  case Group::grid:
    return "grid";
  case Group::brief:
    return "short";
  case Group::untuned:
    return "untuned";
  }
  return "";
}

Workload repeated(Workload once, int loops) {
  once.loops = loops;
  once.pass = [loops, pass = std::move(once.pass)](Form form, int threads) {
    std::uint64_t sum = 0;
    for (int k = 0; k < loops; ++k) sum += pass(form, threads);
    return sum;
  };
  once.plain = [loops, plain = std::move(once.plain)] {
    std::uint64_t sum = 0;
    for (int k = 0; k < loops; ++k) sum += plain();
    return sum;
  };
  return once;
}

std::vector<WorkloadRecipe> all_workloads(double scale) {
  Recipes list;
  for (const auto add : {add_paper, add_programs, add_matrices, add_bodies, add_graphs, add_rays, add_small,
                         add_memory, add_grid})
    add(list, scale);
#ifndef WSTREE_BENCH_TBB
  for (const auto add : {add_short, add_blocks, add_three_places, add_surprises, add_untuned})
    add(list, scale);
#endif
  return list;
}

} // namespace bench
