// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: entries of GCC's runtime, called directly, in ways that exactly_once.cpp does not try: strides
// beyond the signed type, the barrier at the end, regions that begin with a loop, starts that only register,
// memory of a loop, the entries whose order has to be kept or whose chunk is the program's.
//   --piece N   no piece of a loop that is only registered is larger, as WSTREE_FALLBACK says
#include "hits.h"
#include "loop_oracle.h"

#include <atomic>
#include <climits>
#include <type_traits>

namespace {

using check::Hits;
using check::HitsList;
using gomp::Ull;
using oracle::Loop;
using oracle::Type;
using oracle::Wide;

constexpr long k_n = 500;

/// Calls take(first, end) with each piece that one member is handed.
template <class T, class Start, class Next, class Take> void drain(Start start, Next next, Take take) {
  T first{}, end{};
  for (bool more = start(&first, &end); more; more = next(&first, &end)) take(first, end);
}

void touch(Hits& hits, long from, long end, long step = 1) {
  for (long i = from; i < end; i += step) hits.touch(i / step);
}

void strides_beyond_the_signed_type() {
  // With unsigned long a single step can be longer than the largest long.
  const Wide half = Wide{1} << 63, most = Wide{ULLONG_MAX} - 1;
  std::vector<Loop> loops;
  for (const std::int32_t kind : gomp::k_kinds)
    for (const Wide stride : {half, half + 9, most, most + 1, half - 1})
      for (const Wide from : {Wide{0}, Wide{3}, half}) {
        loops.push_back(Loop{Type::u64, from, most, stride, 1, kind});
        loops.push_back(Loop{Type::u64, most - from, 1, -stride, 1, kind});
      }
  for (int members = 1; members <= 4; ++members) {
    oracle::Manner manner;
    manner.team = members;
    manner.barriers = members % 2 == 0;
    run_region(loops, manner);
  }
}

void the_barrier_at_the_end_is_one() {
  // What was written in a loop is there for all members behind its end.
  const Loop loop{Type::i64, 0, k_n - 1, 1};
  for (int round = 0; round < check::repeat(50, 1000); ++round) {
    std::vector<long> values(k_n);
#pragma omp parallel num_threads(2 + round % 3)
    for (long step = 0; step < 6; ++step) {
      oracle::Walk<std::int64_t> walk(loop);
      for (oracle::Part<std::int64_t> part; walk.next(part);)
        for (long i = part.lower; i <= part.upper; ++i) {
          long& value = values[static_cast<std::size_t>(step % 2 == 0 ? i : k_n - 1 - i)];
          CHECK(value == step, "index %ld, step %ld: %ld", i, step, value);
          ++value;
        }
      walk.leave(true, step % 3 != 0);
    }
  }
}

/// A region that begins with a loop: its body asks for the first piece by next. dynamic says how large a
/// piece is, and the library may not change that.
struct Combined {
  Hits hits{1000};
  std::atomic<int> pieces{0};

  static void body(void* data) {
    Combined& self = *static_cast<Combined*>(data);
    long first = 0, end = 0, previous = -1;
    while (gomp::GOMP_loop_dynamic_next(&first, &end)) {
      CHECK(first > previous, "%ld after %ld in a loop whose order counts", first, previous);
      CHECK(end - first == 9 || end == 1000, "%ld iterations at once", end - first);
      previous = first;
      ++self.pieces;
      touch(self.hits, first, end);
    }
    gomp::GOMP_loop_end();
  }
};

void chunks_of_regions_that_begin_with_a_loop() {
  for (int round = 0; round < check::repeat(30, 300); ++round) {
    Combined combined;
    gomp::GOMP_parallel_loop_dynamic(Combined::body, &combined, 3, 0, 1000, 1, 9, 0);
    combined.hits.must_be_one_each("region that begins with a dynamic loop");
    CHECK(combined.pieces == 112, "%d pieces of 9", combined.pieces.load());
  }
}

/// Entries whose order counts: of one member each piece lies behind the one before.
template <class T> void monotonic_loop(bool general, Hits& hits) {
  constexpr long k_schedule = gomp::k_schedule_runtime | gomp::k_schedule_monotonic;
  const T from = 7, to = from + 3 * T{k_n}, step = 3;
  T previous = 0;
  const auto walk = [&](auto start, auto next) {
    drain<T>(start, next, [&](T first, T end) {
      CHECK(first > previous, "a piece lies before the one before it in loop of %zu bytes", sizeof(T));
      previous = first;
      touch(hits, static_cast<long>(first - from), static_cast<long>(end - from), 3);
    });
  };
  using namespace gomp;
  if constexpr (std::is_same_v<T, Ull>)
    walk(
        [&](T* first, T* end) {
          return general
                     ? GOMP_loop_ull_start(true, from, to, step, k_schedule, 0, first, end, nullptr, nullptr)
                     : GOMP_loop_ull_runtime_start(true, from, to, step, first, end);
        },
        GOMP_loop_ull_runtime_next);
  else
    walk(
        [&](T* first, T* end) {
          return general ? GOMP_loop_start(from, to, step, k_schedule, 0, first, end, nullptr, nullptr)
                         : GOMP_loop_runtime_start(from, to, step, first, end);
        },
        GOMP_loop_runtime_next);
}

void dynamic_loop(bool general, Hits& hits, std::atomic<int>& pieces) {
  constexpr long k_schedule = gomp::k_schedule_dynamic | gomp::k_schedule_monotonic;
  drain<long>(
      [&](long* first, long* end) {
        return general ? gomp::GOMP_loop_start(0, k_n, 1, k_schedule, 6, first, end, nullptr, nullptr)
                       : gomp::GOMP_loop_dynamic_start(0, k_n, 1, 6, first, end);
      },
      gomp::GOMP_loop_dynamic_next,
      [&](long first, long end) {
        ++pieces;
        touch(hits, first, end);
      });
}

void served_loop(std::int32_t kind, Hits& hits) {
  drain<long>([&](long* first, long* end) { return gomp::start(kind, 1, true, 0, k_n, 1, first, end); },
              [&](long* first, long* end) { return gomp::next(kind, first, end); },
              [&](long first, long end) { touch(hits, first, end); });
}

void orders_and_chunks_that_count() {
  // Loops that are the runtime's in turn with loops that are the tree's; each asks by a different next.
  constexpr std::size_t k_loops = 8;
  for (int round = 0; round < check::repeat(20, 300); ++round) {
    HitsList hits = check::hits_list(4 * k_loops, k_n);
    std::atomic<int> pieces{0};
#pragma omp parallel num_threads(1 + round % 5)
    for (std::size_t k = 0; k < k_loops; ++k) {
      const bool general = k % 2 == 0;
      monotonic_loop<long>(general, hits[4 * k]);
      gomp::GOMP_loop_end_nowait();
      served_loop(gomp::k_kinds[k % 4], hits[4 * k + 1]);
      k % 3 == 1 ? void(gomp::GOMP_loop_end_cancel()) : gomp::GOMP_loop_end_nowait();
      monotonic_loop<Ull>(general, hits[4 * k + 2]);
      gomp::GOMP_loop_end_nowait();
      dynamic_loop(general, hits[4 * k + 3], pieces);
      k % 3 == 2 ? gomp::GOMP_loop_end() : gomp::GOMP_loop_end_nowait();
    }
    check::must_be_one_each(hits, "loops of the runtime and of the tree in turn");
    CHECK(pieces == 84 * static_cast<int>(k_loops), "%d pieces of 6", pieces.load());
  }
}

void chunks_of_half_the_type_and_more() {
  // A loop of one chunk that is larger than what a signed number holds.
  for (const Ull chunk : {Ull{1000}, Ull{1} << 63, ~Ull{0}}) {
    std::atomic<int> pieces{0};
#pragma omp parallel num_threads(3)
    {
      drain<Ull>(
          [&](Ull* first, Ull* end) {
            return gomp::GOMP_loop_ull_nonmonotonic_dynamic_start(true, 0, 1000, 1, chunk, first, end);
          },
          gomp::GOMP_loop_ull_nonmonotonic_dynamic_next, [&](Ull, Ull) { ++pieces; });
      gomp::GOMP_loop_end();
    }
    CHECK(pieces == 1, "chunk %llu: %d pieces", chunk, pieces.load());
  }
}

long largest_piece = 300;

void starts_that_only_register() {
  // With no place for the first piece, start says yes and the pieces come by next. GCC does so for long only.
  for (int round = 0; round < check::repeat(50, 500); ++round) {
    HitsList hits = check::hits_list(6, 43);
#pragma omp parallel num_threads(1 + round % 4)
    for (std::size_t k = 0; k < hits.size(); ++k) {
      const std::int32_t kind = k % 2 == 0 ? gomp::k_general : gomp::k_general_nonmonotonic;
      CHECK(gomp::GOMP_loop_start(0, 300, 7, gomp::schedule_of(kind), 0, nullptr, nullptr, nullptr, nullptr),
            "round %d", round);
      for (long first = 0, end = 0; gomp::next(kind, &first, &end);) {
        CHECK((end - first + 6) / 7 <= largest_piece, "%ld to %ld at once", first, end);
        touch(hits[k], first, end, 7);
      }
      k % 3 == 0 ? gomp::GOMP_loop_end() : gomp::GOMP_loop_end_nowait();
    }
    check::must_be_one_each(hits, "registered first");
  }
}

void memory_of_a_loop() {
  // A start can also ask for memory that the members share, zero at first and gone with the loop.
  constexpr std::uintptr_t k_size = 64 * sizeof(int);
  for (int round = 0; round < check::repeat(50, 500); ++round) {
    HitsList hits = check::hits_list(3, 64);
#pragma omp parallel num_threads(1 + round % 4)
    for (Hits& each : hits) {
      void* memory = reinterpret_cast<void*>(k_size);
      drain<long>(
          [&](long* first, long* end) {
            return gomp::GOMP_loop_start(0, 64, 1, gomp::k_schedule_runtime, 0, first, end, nullptr, &memory);
          },
          [](long* first, long* end) { return gomp::next(gomp::k_general, first, end); },
          [&](long first, long end) {
            touch(each, first, end);
            for (long i = first; i < end; ++i)
              CHECK(__atomic_fetch_add(static_cast<int*>(memory) + i, 1, __ATOMIC_RELAXED) == 0, "place %ld",
                    i);
          });
      gomp::GOMP_loop_end();
    }
    check::must_be_one_each(hits, "loop with memory");
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  largest_piece = static_cast<long>(check::number(argc, argv, "--piece", largest_piece));
  return check::run(argc, argv,
                    {CASE(strides_beyond_the_signed_type), CASE(the_barrier_at_the_end_is_one),
                     CASE(chunks_of_regions_that_begin_with_a_loop), CASE(orders_and_chunks_that_count),
                     CASE(chunks_of_half_the_type_and_more), CASE(starts_that_only_register),
                     CASE(memory_of_a_loop)});
}
