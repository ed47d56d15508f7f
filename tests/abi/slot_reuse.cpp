// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: dispatch state that is used again. A mark of an old use may look current again after a power of two
// of loops; members that were not there in between are the danger.
#include "hits.h"
#include "omp_decls.h"

namespace {

/// `loops` loops of 0 to 9 iterations in one region, each counted; nowait, so that members drift apart.
void tiny_loops(std::size_t loops, int members) {
  std::vector<unsigned> counts(loops);
#pragma omp parallel num_threads(members)
  for (std::size_t k = 0; k < loops; ++k) {
    const int n = static_cast<int>(k * 7 % 10);
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < n; ++i) __atomic_fetch_add(&counts[k], 1u << (3 * i), __ATOMIC_RELAXED);
  }
  for (std::size_t k = 0; k < loops; ++k) {
    unsigned wanted = 0;
    for (std::size_t i = 0; i < k * 7 % 10; ++i) wanted |= 1u << (3 * i);
    CHECK(counts[k] == wanted, "loop %zu of %zu, team of %d: iterations %#o instead of %#o (a digit each)", k,
          loops, members, counts[k], wanted);
  }
}

/// A few loops that really are stolen from.
void stolen_loops(int members) {
  check::HitsList hits = check::hits_list(16, 400);
#pragma omp parallel num_threads(members)
  for (check::Hits& each : hits) check::served(each);
  check::must_be_one_each(hits, "stolen loops");
}

void many_loops_in_one_region() {
  for (const int members : {2, 3, 5}) tiny_loops(check::settings.thorough ? 3'000'000 : 10'000, members);
}

void many_regions() {
  for (int region = 0; region < check::repeat(3'000, 100'000); ++region)
    tiny_loops(1 + static_cast<std::size_t>(region % 3), 1 + region % 3);
}

void members_that_were_away() {
  // Around every power of two from 2^3 to 2^13, so around the widths of marks times the slots of a ring.
  for (unsigned bits = 3; bits <= 13; ++bits)
    for (int offset = -17; offset <= 17; offset += check::settings.thorough ? 1 : 8) {
      const long gap = (1l << bits) + offset;
      if (gap < 1) continue;
      stolen_loops(8);
      tiny_loops(static_cast<std::size_t>(gap), 2);
      stolen_loops(8);
      if (bits <= 8 || check::settings.thorough) {
        for (long region = 0; region < gap; ++region) tiny_loops(1, 2);
        stolen_loops(6);
      }
    }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv,
                    {CASE(many_loops_in_one_region), CASE(many_regions), CASE(members_that_were_away)});
}
