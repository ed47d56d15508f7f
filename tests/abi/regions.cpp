// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: the region entries. Many captured variables (they are arguments of the fork), teams of changing
// size on the same hot team, if clauses, exceptions inside bodies, regions that hold no loop,
// combined teams constructs.
#include "hits.h"
#include "omp_decls.h"

#include <atomic>
#include <stdexcept>

namespace {

using check::Hits;
using check::HitsList;

constexpr std::size_t k_width = 200;

void many_captured_variables() {
  // A compiler passes one pointer for each captured variable, by registers and by the stack.
  for (int round = 0; round < check::repeat(50, 500); ++round) {
    int a1 = 1, a2 = 2, a3 = 3, a4 = 4, a5 = 5, a6 = 6, a7 = 7, a8 = 8;
    long b1 = 9, b2 = 10, b3 = 11, b4 = 12, b5 = 13, b6 = 14, b7 = 15, b8 = 16;
    double c1 = 17, c2 = 18, c3 = 19, c4 = 20, c5 = 21, c6 = 22, c7 = 23, c8 = 24;
    char d1 = 25, d2 = 26, d3 = 27, d4 = 28;
    double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)                                                          \
    firstprivate(a2, a4, b2, b4, c2, c4, d2, d4) num_threads(1 + round % 4)
    for (int i = 0; i < 300; ++i) {
      sum += a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8;
      sum += static_cast<double>(b1 + b2 + b3 + b4 + b5 + b6 + b7 + b8);
      sum += c1 + c2 + c3 + c4 + c5 + c6 + c7 + c8 + d1 + d2 + d3 + d4 + i;
    }
    CHECK(sum == 300 * 406 + 299 * 300 / 2, "%f with %d threads", sum, 1 + round % 4);
    // And results that travel back through the same arguments.
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
      a1 = a3 = a5 = a7 = -1;
#pragma omp section
      d1 = d3 = 1;
    }
    CHECK(a1 + a3 + a5 + a7 + d1 + d3 == -2 && a2 == 2 && c8 == 24, "%d", a1 + a3 + a5 + a7 + d1 + d3);
  }
}

void hot_teams_of_changing_size() {
  for (int round = 0; round < check::repeat(200, 5000); ++round) {
    const int members = 1 + (round * 7 + round / 5) % 8;
    HitsList hits = check::hits_list(3, k_width);
    std::atomic<int> seen{0};
#pragma omp parallel num_threads(members)
    {
      ++seen;
      for (Hits& each : hits) {
#pragma omp for schedule(runtime) nowait
        for (std::size_t i = 0; i < k_width; ++i) each.touch(i);
      }
    }
    CHECK(seen == members, "%d of %d", seen.load(), members);
    check::must_be_one_each(hits, "hot teams");
    if (round % 3 == 0) { // the default size changes too
      omp_set_num_threads(1 + round % 5);
      Hits more(k_width);
#pragma omp parallel for schedule(runtime)
      for (std::size_t i = 0; i < k_width; ++i) more.touch(i);
      more.must_be_one_each("default team size");
    }
  }
  omp_set_num_threads(4);
}

void different_loops_region_after_region() {
  for (int round = 0; round < check::repeat(100, 2000); ++round) {
    Hits hits(k_width);
    switch (round % 4) {
    case 0:
#pragma omp parallel for schedule(runtime)
      for (std::size_t i = 0; i < k_width; ++i) hits.touch(i);
      break;
    case 1:
#pragma omp parallel for schedule(dynamic, 3)
      for (std::size_t i = 0; i < k_width; ++i) hits.touch(i);
      break;
    case 2:
#pragma omp parallel for schedule(guided)
      for (std::size_t i = 0; i < k_width; ++i) hits.touch(i);
      break;
    default:
#pragma omp parallel for schedule(auto)
      for (std::size_t i = 0; i < k_width; ++i) hits.touch(i);
      break;
    }
    hits.must_be_one_each("loops of different schedules");
  }
}

void exceptions_caught_in_the_body() {
  for (int round = 0; round < check::repeat(20, 300); ++round) {
    HitsList hits = check::hits_list(3, k_width);
    std::atomic<int> caught{0};
#pragma omp parallel
    {
      for (Hits& each : hits) {
#pragma omp for schedule(runtime)
        for (std::size_t i = 0; i < k_width; ++i) {
          try {
            each.touch(i);
            if (i % 10 == 3) throw std::runtime_error("inside a chunk");
          } catch (const std::runtime_error&) {
            ++caught;
          }
        }
        try { // inside the region, around no loop
          if (omp_get_thread_num() == 0) throw 1;
        } catch (int) {
        }
      }
    }
    CHECK(caught == 60, "%d", caught.load());
    check::must_be_one_each(hits, "loops that throw inside");
  }
}

void if_clauses() {
  for (std::size_t n = 0; n < 120; n += 7) {
    Hits hits(n + 1);
#pragma omp parallel for schedule(runtime) if (n > 50)
    for (std::size_t i = 0; i < n + 1; ++i) hits.touch(i);
    hits.must_be_one_each("parallel for if");
    Hits more(n + 1);
    int members = 0;
#pragma omp parallel if (parallel : n % 2 == 0) num_threads(3)
    {
#pragma omp single
      members = omp_get_num_threads();
#pragma omp for schedule(runtime)
      for (std::size_t i = 0; i < n + 1; ++i) more.touch(i);
    }
    CHECK(members == (n % 2 == 0 ? 3 : 1), "%d", members);
    more.must_be_one_each("parallel if, for inside");
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv,
                    {{"many_captured_variables", many_captured_variables},
                     {"hot_teams_of_changing_size", hot_teams_of_changing_size},
                     {"different_loops_region_after_region", different_loops_region_after_region},
                     {"exceptions_caught_in_the_body", exceptions_caught_in_the_body},
                     {"if_clauses", if_clauses}});
}
