// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: WSTREE_LOOPS, by which the tree also serves loops whose source says dynamic, guided or auto: every
// iteration once, pieces of whole chunks of the program's. A loop that is not in the list is the runtime's,
// which shows in the size of its chunks.
//   --dynamic   the list holds dynamic, and WSTREE_BATCH=fixed:64
#include "hits.h"
#include "loop_oracle.h"

namespace {

using check::Hits;
using check::HitsList;
using oracle::Loop;
using oracle::Type;
using oracle::Wide;
using Size = unsigned long;

constexpr int k_n = 400;
/// The same, but the compiler does not know it,
/// so that its loops over unsigned long are not taken for others.
Size limit = k_n;
bool dynamic_is_served = false;

/// One loop of each kind that a source can name, some of them down or of another type.
void all_kinds(HitsList& hits) {
#pragma omp for schedule(runtime) nowait
  for (int i = 0; i < k_n; ++i) hits[0].touch(i);
#pragma omp for schedule(dynamic) nowait
  for (int i = 0; i < k_n; ++i) hits[1].touch(i);
#pragma omp for schedule(dynamic, 7) nowait
  for (long i = k_n; i > 0; --i) hits[2].touch(i - 1);
#pragma omp for schedule(guided)
  for (Size i = 0; i < limit; ++i) hits[3].touch(i);
#pragma omp for schedule(guided, 9) nowait
  for (int i = 3 * k_n; i > 0; i -= 3) hits[4].touch(i / 3 - 1);
#pragma omp for schedule(auto) nowait
  for (int i = 0; i < k_n; ++i) hits[5].touch(i);
#pragma omp for schedule(nonmonotonic : dynamic, 3) collapse(2)
  for (Size i = 0; i < limit / 20; ++i)
    for (Size j = 0; j < 20; ++j) hits[6].touch(i * 20 + j);
#pragma omp for schedule(nonmonotonic : guided, 2) nowait
  for (Size i = limit; i > 0; --i) hits[7].touch(i - 1);
#pragma omp for schedule(static, 5) nowait
  for (int i = 0; i < k_n; ++i) hits[8].touch(i);
#pragma omp for schedule(runtime)
  for (Size i = limit; i > 0; --i) hits[9].touch(i - 1);
}

void all_kinds_in_a_region() {
  for (int round = 0; round < check::repeat(30, 500); ++round) {
    HitsList hits = check::hits_list(10, k_n);
#pragma omp parallel num_threads(1 + round % 5)
    for (int turn = 0; turn < 3; ++turn) {
      all_kinds(hits);
#pragma omp barrier
#pragma omp single
      {
        check::must_be_one_each(hits, "loops of all kinds");
        for (Hits& each : hits) each.clear();
      }
    }
  }
}

void lastprivate_values() {
#ifdef __clang__
  if (!dynamic_is_served) return; // libomp's own dynamic takes chunks from others and is wrong about this
#endif
  for (int round = 0; round < check::repeat(100, 2000); ++round) {
    int x = 0, y = 0, z = 0;
#pragma omp parallel num_threads(2 + round % 4)
    {
#pragma omp for schedule(dynamic, 2) lastprivate(x)
      for (int i = 0; i < k_n; ++i) {
        x = i;
        check::spin(i == round % k_n ? 20'000 : 50);
      }
#pragma omp for schedule(guided) lastprivate(y)
      for (unsigned long i = k_n; i > 0; --i) y = static_cast<int>(i);
#pragma omp for schedule(auto) lastprivate(z)
      for (int i = 0; i < k_n; i += 7) z = i;
    }
    CHECK(x == k_n - 1 && y == 1 && z == 399, "%d %d %d instead of 399 1 399", x, y, z);
  }
}

void chunks_of_the_program() {
  // The entries are called directly, so that chunks can be told from each other.
#ifdef __clang__
  if (!dynamic_is_served) return; // for the same reason
#endif
  constexpr Wide k_trips = 6000;
  for (int round = 0; round < check::repeat(6, 200); ++round)
    for (const Wide chunk : {1, 5, 48, 100, 5999, 6000, 100'000}) {
      oracle::Manner manner;
      manner.team = 1 + round % 5;
      manner.seed = check::settings.seed + static_cast<std::uint64_t>(round);
      manner.barriers = round % 2 == 0;
      manner.jitter = 511;
      std::vector<Loop> loops;
      for (const Type type : {Type::i32, Type::u64})
        for (const std::int32_t kind : {abi::k_dynamic, abi::k_guided}) {
          loops.push_back(Loop{type, 0, k_trips - 1, 1, chunk, kind});
          loops.push_back(Loop{type, 3 * k_trips, 3, -3, chunk, kind});
        }
#ifdef __clang__
      loops.push_back(Loop{Type::i32, 0, k_trips - 1, 1, chunk, abi::k_dynamic_before_5});
#endif
      const std::vector<std::vector<oracle::Chunk>> chunks = run_region(loops, manner);
      for (std::size_t i = 0; i < loops.size(); ++i) {
        Wide largest = 0, shorter = 0, broken = 0;
        for (const oracle::Chunk& each : chunks[i]) {
          const oracle::Span span = number(loops[i], each, manner.team);
          const Wide length = span.last - span.first + 1;
          largest = std::max(largest, length);
          if (length < chunk) ++shorter;
          if (span.first % chunk != 0) ++broken;
        }
        CHECK(shorter <= 1, "%s of %zu chunks are shorter than the program says; %s",
              oracle::text(shorter).c_str(), chunks[i].size(), describe(loops[i]).c_str());
        if (loops[i].schedule == abi::k_guided) continue;
        CHECK(broken == 0, "%s of %zu chunks do not start at a multiple; %s", oracle::text(broken).c_str(),
              chunks[i].size(), describe(loops[i]).c_str());
        const bool keeps_order = loops[i].schedule != abi::k_dynamic;
        if (keeps_order && manner.team == 1) continue; // it is a single chunk of libomp
        if (keeps_order || !dynamic_is_served)
          CHECK(largest == std::min(chunk, k_trips), "a chunk of %s: the runtime's are all alike; %s",
                oracle::text(largest).c_str(), describe(loops[i]).c_str());
        else if (manner.team == 1)
          CHECK(largest >= 64, "no batch was larger than %s; %s", oracle::text(largest).c_str(),
                describe(loops[i]).c_str());
      }
    }
}

} // namespace

int main(int argc, char** argv) {
  dynamic_is_served = check::flag(argc, argv, "--dynamic");
  omp_set_dynamic(0);
  return check::run(argc, argv,
                    {CASE(all_kinds_in_a_region), CASE(lastprivate_values), CASE(chunks_of_the_program)});
}
