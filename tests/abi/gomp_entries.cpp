// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: the entries of GCC's runtime, called directly. Each start with its next and each end; bounds at the
// limits of the types and strides that step beyond them; loops without iterations and loops outside of any
// region; regions that begin with a loop; starts that only register; the entries whose order has to be kept.
#include "gomp_forms.h"

#include <climits>
#include <cstdint>
#include <thread>

using namespace forms;

namespace {

constexpr Wide k_long_min = LONG_MIN, k_long_max = LONG_MAX, k_ull_max = ULLONG_MAX;

const std::vector<Range>& ordinary_ranges() {
  static const std::vector<Range> ranges = {{Through::plain, 0, 1000, 1},  {Through::plain, -500, 500, 3},
                                            {Through::plain, 999, -1, -1}, {Through::plain, 700, -7, -13},
                                            {Through::ull, 0, 1000, 1},    {Through::ull, 5, 3000, 7},
                                            {Through::ull, 1000, 0, -1},   {Through::ull, 3001, 2, -9},
                                            {Through::plain, 5, 6, 1},     {Through::ull, 6, 5, -1}};
  return ranges;
}

/// All loops in one region, each collected and checked.
void run_region(const std::vector<Range>& ranges, int members, End end, const char* what) {
  Collected collected(ranges.size());
#pragma omp parallel num_threads(members)
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    collected.add(i, drain_served(ranges[i], gomp::k_kinds[i % std::size(gomp::k_kinds)]));
    leave(end);
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) must_tile(ranges[i], collected[i], what);
}

/// `ranges` with each entry in turn: an odd number of copies moves each of them on to the next one.
std::vector<Range> rotated(const std::vector<Range>& ranges) {
  std::vector<Range> all;
  for (std::size_t turn = 0; turn < std::size(gomp::k_kinds); ++turn) {
    all.insert(all.end(), ranges.begin(), ranges.end());
    all.resize(all.size() + (ranges.size() % 2 == 0 ? 1 : 0)); // one loop without iterations
  }
  return all;
}

void every_start_and_every_end() {
  for (int round = 0; round < check::repeat(10, 300); ++round)
    for (const End end : {End::barrier, End::nowait, End::cancellable})
      run_region(rotated(ordinary_ranges()), 1 + round % 6, end, "every form");
}

void limits_of_the_types() {
  std::vector<Range> ranges;
  for (const Wide step : {Wide{1}, Wide{7}, Wide{1} << 40, (Wide{1} << 62) - 1, k_long_max}) {
    const Wide count = std::min<Wide>(100, (Wide{1} << 63) / step); // so that all have few iterations
    for (const Wide beyond : {Wide{0}, step / 2, step - 1}) {
      const Wide extent = std::min(count * step, k_long_max - beyond);
      if (beyond >= extent) continue;
      // The last step leads beyond `end` and, at the limits, out of the type.
      ranges.push_back({Through::plain, k_long_min, k_long_min + extent - beyond, step});
      ranges.push_back({Through::plain, k_long_max - extent + beyond, k_long_max, step});
      ranges.push_back({Through::plain, k_long_max, k_long_max - extent + beyond, -step});
      ranges.push_back({Through::plain, k_long_min + extent - beyond, k_long_min, -step});
      ranges.push_back({Through::ull, 0, extent - beyond, step});
      ranges.push_back({Through::ull, k_ull_max - extent + beyond, k_ull_max, step});
      ranges.push_back({Through::ull, k_ull_max, k_ull_max - extent + beyond, -step});
      ranges.push_back({Through::ull, extent - beyond, 0, -step});
    }
  }
  for (int members = 1; members <= 6; ++members) run_region(rotated(ranges), members, End::nowait, "limits");
}

void strides_beyond_the_signed_type() {
  // With unsigned long a single step can be longer than the largest long.
  const Wide half = Wide{1} << 63;
  const std::vector<Range> ranges = {
      {Through::ull, 0, k_ull_max, half},          {Through::ull, 3, k_ull_max, half + 9},
      {Through::ull, 0, k_ull_max, k_ull_max - 1}, {Through::ull, 0, 1, k_ull_max},
      {Through::ull, half, k_ull_max, half - 1},   {Through::ull, k_ull_max, 0, -half}};
  for (int members = 1; members <= 4; ++members)
    run_region(rotated(ranges), members, End::barrier, "long strides");
}

void no_iterations() {
  const std::vector<Range> ranges = {{Through::plain, 0, 0, 1},
                                     {Through::plain, 5, 4, 1},
                                     {Through::plain, 4, 5, -1},
                                     {Through::plain, k_long_min, k_long_min, 1},
                                     {Through::plain, k_long_max, k_long_min, 1},
                                     {Through::plain, k_long_min, k_long_max, -1},
                                     {Through::ull, 0, 0, 1},
                                     {Through::ull, 5, 4, 1},
                                     {Through::ull, 4, 5, -1},
                                     {Through::ull, k_ull_max, 0, 1},
                                     {Through::ull, 0, k_ull_max, -1},
                                     {Through::ull, k_ull_max, k_ull_max, -1},
                                     {Through::plain, 0, 9, 1}}; // and one with some
  for (int round = 0; round < check::repeat(10, 100); ++round)
    for (const End end : {End::barrier, End::nowait, End::cancellable})
      run_region(rotated(ranges), 1 + round % 5, end, "no iterations");
}

void the_barrier_at_the_end_is_one() {
  // What was written in a loop is there for all members behind its end.
  for (int round = 0; round < check::repeat(50, 1000); ++round) {
    std::vector<long> values(500);
    const Range range{Through::plain, 0, 500, 1};
#pragma omp parallel num_threads(2 + round % 3)
    for (long step = 0; step < 6; ++step) {
      for (const Piece& piece : drain_served(range, gomp::k_kinds[step % 4]))
        for (Wide i = piece.start; i < piece.end; ++i) {
          long& value = values[static_cast<std::size_t>(step % 2 == 0 ? i : 499 - i)];
          CHECK(value == step, "index %ld, step %ld: %ld", static_cast<long>(i), step, value);
          ++value;
        }
      leave(step % 3 == 0 ? End::cancellable : End::barrier);
    }
  }
}

/// A region that begins with a loop: its body asks for the first piece by next.
struct Combined {
  Range range;
  Collected* collected;
  std::size_t index;
  bool (*next)(long*, long*);
  bool ascending;

  static void body(void* data) {
    const Combined& self = *static_cast<const Combined*>(data);
    std::vector<Piece> pieces;
    long first = 0, end = 0, previous = LONG_MIN;
    while (self.next(&first, &end)) {
      CHECK(!self.ascending || first > previous, "%ld after %ld in a loop whose order counts", first,
            previous);
      previous = first;
      pieces.push_back({first, end});
    }
    gomp::GOMP_loop_end_nowait();
    self.collected->add(self.index, pieces);
    // The region goes on, and its loops are numbered from here.
    const Range more{Through::ull, 0, 77, 2};
    self.collected->add(self.index + 1, drain_served(more, gomp::k_maybe_nonmonotonic));
    gomp::GOMP_loop_end();
  }
};

void chunks_of_other_regions_that_begin_with_a_loop() {
  // dynamic says how large a piece is, and the library may not change that.
  for (int round = 0; round < check::repeat(30, 300); ++round) {
    Collected collected(2);
    Combined combined{{Through::plain, 0, 1000, 1}, &collected, 0, gomp::GOMP_loop_dynamic_next, true};
    gomp::GOMP_parallel_loop_dynamic(Combined::body, &combined, 3, 0, 1000, 1, 9, 0);
    must_tile(combined.range, collected[0], "dynamic");
    CHECK(collected[0].size() == 112, "%zu", collected[0].size());
    for (const Piece& piece : collected[0])
      CHECK(piece.end - piece.start == 9 || piece.end == 1000, "%ld",
            static_cast<long>(piece.end - piece.start));
  }
}

/// Entries with a chunk of the program's own, some by GOMP_loop_start.
template <bool k_general> struct Dynamic {
  bool start(long* first, long* end) const {
    if (k_general)
      return gomp::GOMP_loop_start(0, 500, 1, gomp::k_schedule_dynamic | gomp::k_schedule_monotonic, 6, first,
                                   end, nullptr, nullptr);
    return gomp::GOMP_loop_dynamic_start(0, 500, 1, 6, first, end);
  }
  bool next(long* first, long* end) const { return gomp::GOMP_loop_dynamic_next(first, end); }
};

/// Entries whose order counts: of one member each piece lies behind the one before.
template <class T, bool k_general> struct Monotonic {
  const Range& range;
  bool start(T* first, T* end) const {
    const T from = static_cast<T>(range.start), to = static_cast<T>(range.end),
            incr = static_cast<T>(range.incr);
    if constexpr (std::is_same_v<T, gomp::Ull>)
      return k_general ? gomp::GOMP_loop_ull_start(range.up(), from, to, incr,
                                                   gomp::k_schedule_runtime | gomp::k_schedule_monotonic, 0,
                                                   first, end, nullptr, nullptr)
                       : gomp::GOMP_loop_ull_runtime_start(range.up(), from, to, incr, first, end);
    else
      return k_general ? gomp::GOMP_loop_start(from, to, incr,
                                               gomp::k_schedule_runtime | gomp::k_schedule_monotonic, 0,
                                               first, end, nullptr, nullptr)
                       : gomp::GOMP_loop_runtime_start(from, to, incr, first, end);
  }
  bool next(T* first, T* end) const {
    if constexpr (std::is_same_v<T, gomp::Ull>)
      return gomp::GOMP_loop_ull_runtime_next(first, end);
    else
      return gomp::GOMP_loop_runtime_next(first, end);
  }
};

template <bool k_general> std::vector<Piece> drain_monotonic(const Range& range) {
  const std::vector<Piece> pieces = range.through == Through::ull
                                        ? drain<gomp::Ull>(Monotonic<gomp::Ull, k_general>{range})
                                        : drain<long>(Monotonic<long, k_general>{range});
  for (std::size_t i = 1; i < pieces.size(); ++i)
    CHECK(range.up() ? pieces[i].start > pieces[i - 1].start : pieces[i].start < pieces[i - 1].start,
          "%s after %s; %s", text(pieces[i].start).c_str(), text(pieces[i - 1].start).c_str(),
          describe(range).c_str());
  return pieces;
}

void orders_and_chunks_that_count() {
  // Loops that are the runtime's in turn with loops that are the tree's; each asks by a different next.
  const std::vector<Range>& ranges = ordinary_ranges();
  for (int round = 0; round < check::repeat(20, 300); ++round) {
    Collected monotonic(ranges.size()), served(ranges.size()), dynamic(ranges.size());
#pragma omp parallel num_threads(1 + round % 5)
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      monotonic.add(i, i % 2 == 0 ? drain_monotonic<false>(ranges[i]) : drain_monotonic<true>(ranges[i]));
      leave(i % 3 == 0 ? End::barrier : End::nowait);
      served.add(i, drain_served(ranges[i], gomp::k_kinds[i % 4]));
      leave(i % 3 == 1 ? End::cancellable : End::nowait);
      dynamic.add(i, i % 2 == 0 ? drain<long>(Dynamic<false>{}) : drain<long>(Dynamic<true>{}));
      leave(i % 3 == 2 ? End::barrier : End::nowait);
    }
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      must_tile(ranges[i], monotonic[i], "monotonic");
      must_tile(ranges[i], served[i], "between a monotonic and a dynamic loop");
      must_tile({Through::plain, 0, 500, 1}, dynamic[i], "dynamic");
      CHECK(dynamic[i].size() == 84, "%zu pieces of 6", dynamic[i].size());
    }
  }
}

/// A loop of one chunk that is larger than what a signed number holds.
struct DynamicOfOneChunk {
  gomp::Ull chunk;
  bool start(gomp::Ull* first, gomp::Ull* end) const {
    return gomp::GOMP_loop_ull_nonmonotonic_dynamic_start(true, 0, 1000, 1, chunk, first, end);
  }
  bool next(gomp::Ull* first, gomp::Ull* end) const {
    return gomp::GOMP_loop_ull_nonmonotonic_dynamic_next(first, end);
  }
};
void chunks_of_half_the_type_and_more() {
  for (const gomp::Ull chunk : {gomp::Ull{1000}, gomp::Ull{1} << 63, ~gomp::Ull{0}}) {
    Collected collected(1);
#pragma omp parallel num_threads(3)
    {
      collected.add(0, drain<gomp::Ull>(DynamicOfOneChunk{chunk}));
      leave(End::barrier);
    }
    CHECK(collected[0].size() == 1, "chunk %llu: %zu pieces", chunk, collected[0].size());
  }
}

/// Of iterations that the runtime hands out, because WSTREE_FALLBACK says so; given by --piece.
long largest_piece = 300;

void starts_that_only_register() {
  // With no place for the first piece, start says yes and the pieces come by next. GCC does so for long only.
  for (int round = 0; round < check::repeat(50, 500); ++round) {
    Collected collected(6);
#pragma omp parallel num_threads(1 + round % 4)
    for (std::size_t k = 0; k < 6; ++k) {
      const std::int32_t kind = k % 2 == 0 ? gomp::k_general : gomp::k_general_nonmonotonic;
      const long schedule = k % 2 == 0 ? gomp::k_schedule_runtime : gomp::k_schedule_nonmonotonic_runtime;
      CHECK(gomp::GOMP_loop_start(0, 300, 7, schedule, 0, nullptr, nullptr, nullptr, nullptr), "round %d",
            round);
      std::vector<Piece> pieces;
      for (long first = 0, end = 0; gomp::next(kind, &first, &end);) {
        CHECK((end - first + 6) / 7 <= largest_piece, "%ld to %ld at once", first, end);
        pieces.push_back({first, end});
      }
      collected.add(k, pieces);
      leave(k % 3 == 0 ? End::barrier : End::nowait);
    }
    for (std::size_t k = 0; k < 6; ++k)
      must_tile({Through::plain, 0, 300, 7}, collected[k], "registered first");
  }
}

void memory_of_a_loop() {
  // A start can also ask for memory that the members share, zero at first and gone with the loop.
  constexpr std::uintptr_t k_size = 64 * sizeof(int);
  for (int round = 0; round < check::repeat(50, 500); ++round) {
    const Range range{Through::plain, 0, 64, 1};
    Collected collected(3);
#pragma omp parallel num_threads(1 + round % 4)
    for (std::size_t k = 0; k < 3; ++k) {
      void* memory = reinterpret_cast<void*>(k_size);
      long first = 0, end = 0;
      std::vector<Piece> pieces;
      for (bool more =
               gomp::GOMP_loop_start(0, 64, 1, gomp::k_schedule_runtime, 0, &first, &end, nullptr, &memory);
           more; more = gomp::next(gomp::k_general, &first, &end)) {
        pieces.push_back({first, end});
        for (long i = first; i < end; ++i)
          CHECK(__atomic_fetch_add(static_cast<int*>(memory) + i, 1, __ATOMIC_RELAXED) == 0, "place %ld", i);
      }
      collected.add(k, pieces);
      leave(End::barrier);
    }
    for (std::size_t k = 0; k < 3; ++k) must_tile(range, collected[k], "loop with memory");
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  largest_piece = static_cast<long>(check::number(argc, argv, "--piece", largest_piece));
  return check::run(
      argc, argv,
      {{"every_start_and_every_end", every_start_and_every_end},
       {"limits_of_the_types", limits_of_the_types},
       {"strides_beyond_the_signed_type", strides_beyond_the_signed_type},
       {"no_iterations", no_iterations},
       {"the_barrier_at_the_end_is_one", the_barrier_at_the_end_is_one},
       {"chunks_of_other_regions_that_begin_with_a_loop", chunks_of_other_regions_that_begin_with_a_loop},
       {"orders_and_chunks_that_count", orders_and_chunks_that_count},
       {"chunks_of_half_the_type_and_more", chunks_of_half_the_type_and_more},
       {"starts_that_only_register", starts_that_only_register},
       {"memory_of_a_loop", memory_of_a_loop}});
}
