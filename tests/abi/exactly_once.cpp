// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: bounds at the edge of the type, trip counts, strides, chunk arguments, both code forms of
// schedule(runtime). Types, bounds, strides, chunks, kinds, team sizes, barriers, early leaving and pauses
// all come from one seed. Besides: a million iterations, a few that are dear, and very many.
//   --random N       the number of random loops
//   --drain-bits B   loops of up to 2^B - 1 iterations are emptied, which takes a lifetime where batches are
//                    small; 0 unless given. Larger ones are left early
#include "loop_oracle.h"

using namespace oracle;

namespace {

long long loops_wanted = 0;
long long drain_bits = 0;
bool may_leave_early = true;

/// Small counts are the rule and large ones the exception, as each power of two is equally likely.
Wide random_count(check::Random& random) {
  const std::uint64_t bound = std::uint64_t{1} << random.below(13);
  return static_cast<Wide>(random.below(bound + 1));
}

Wide random_stride(check::Random& random, Type type) {
  const Wide low = lowest_stride(type), high = highest_stride(type);
  const int bits = type == Type::i32 || type == Type::u32 ? 31 : 63;
  const Wide strides[] = {
      1, static_cast<Wide>(random.below(100)) + 1,
      static_cast<Wide>(random.next() >> (1 + random.below(63))) + 1,
      static_cast<Wide>(std::uint64_t{1} << random.below(static_cast<std::uint64_t>(bits)))};
  Wide stride = strides[random.below(4)];
  stride = std::min(stride, high);
  if (random.below(200) == 0) return low;
  return random.below(2) == 0 ? stride : -stride;
}

Loop random_loop(check::Random& random) {
  Loop loop;
  loop.type = k_types[random.below(4)];
  loop.stride = random_stride(random, loop.type);
  const Wide low = lowest(loop.type), high = highest(loop.type);
  const Wide step = loop.stride > 0 ? loop.stride : -loop.stride;
  Wide count = random_count(random);
  count = std::min(count, (high - low) / step + 1);
  const Wide extent = count == 0 ? 0 : (count - 1) * step;
  const Wide room = high - low - extent;
  // Half of the loops touch an end of the type.
  Wide offset = room == 0 ? 0 : static_cast<Wide>(random.next()) % (room + 1);
  if (random.below(4) == 0) offset = 0;
  if (random.below(4) == 0) offset = room;
  const Wide first = low + offset, last = first + extent;
  loop.lower = loop.stride > 0 ? first : last;
  loop.upper = loop.stride > 0 ? last : first;
  if (count == 0) { // the limit before the start; where the type has no such value the loop has one iteration
    if (loop.stride > 0 && loop.lower > low)
      loop.upper = low + static_cast<Wide>(random.next()) % (loop.lower - low);
    if (loop.stride < 0 && loop.lower < high)
      loop.upper = high - static_cast<Wide>(random.next()) % (high - loop.lower);
  } else {
    const Wide beyond = std::min(loop.stride > 0 ? high - loop.upper : loop.upper - low, step - 1);
    const Wide move = static_cast<Wide>(random.next()) % (beyond + 1);
    loop.upper += loop.stride > 0 ? move : -move;
  }
  const Wide top = highest_stride(loop.type);
  const Wide chunks[] = {1, 0, -1, static_cast<Wide>(random.below(2000)), top, -top - 1};
  loop.chunk = chunks[random.below(std::size(chunks))];
  loop.schedule = abi::k_kinds[random.below(std::size(abi::k_kinds))];
  return loop;
}

void random_loops() {
  const long long wanted = loops_wanted > 0 ? loops_wanted : check::settings.thorough ? 100'000 : 10'000;
  check::Random random(check::settings.seed);
  for (long long done = 0; done < wanted;) {
    std::vector<Loop> loops(1 + random.below(128));
    for (Loop& loop : loops) loop = random_loop(random);
    Manner manner;
    manner.team = 1 + static_cast<int>(random.below(8));
    manner.seed = random.next();
    manner.barriers = random.below(8) == 0;
    manner.deinit = random.below(4) != 0;
    manner.most_chunks = may_leave_early && random.below(8) == 0 ? 1 + random.below(20) : 0;
    manner.jitter = (1u << random.below(10)) - 1;
    run_region(loops, manner);
    done += static_cast<long long>(loops.size());
  }
  std::printf("%lld random loops\n", wanted);
}

Manner manner_for(int team) {
  Manner manner;
  manner.team = team;
  manner.seed = check::settings.seed;
  manner.jitter = 1023;
  return manner;
}

void million_iterations() {
  for (const int team : {1, 2, 4, 8}) {
    Manner manner = manner_for(team);
    run_region({Loop{Type::i32, lowest(Type::i32), lowest(Type::i32) + 1'000'000, 1},
                Loop{Type::i64, highest(Type::i64), highest(Type::i64) - 3'000'001, -3}},
               manner);
  }
}

void few_dear_iterations() {
  // Iterations of some microseconds, getting dearer or cheaper: here it can pay to start the last one early,
  // and then its thread has to stay out of the rest of the loop while the others still find all of that.
  for (int round = 0; round < check::repeat(20, 400); ++round)
    for (const int team : {2, 3, 4}) {
      Manner manner;
      manner.team = team;
      manner.seed = check::settings.seed + static_cast<std::uint64_t>(round);
      manner.body_ns = round % 2 == 0 ? 30'000 : 3'000;
      manner.rising = round % 3 != 0;
      std::vector<Loop> loops;
      for (const int count : {2, 3, 4, 5, 7, 12, 30}) loops.push_back(Loop{Type::i32, 0, count - 1, 1});
      run_region(loops, manner);
    }
}

// Bodies are empty from here: what is checked is that the chunks tile the range.
constexpr int k_bits[] = {31, 32, 33, 36, 40, 48, 53, 62, 63};

std::vector<Loop> loops_of(int bits) {
  const Wide count = (Wide{1} << bits) - 1;
  std::vector<Loop> loops;
  for (const Type type : {Type::i64, Type::u64}) {
    const Wide low = lowest(type), high = highest(type);
    for (const Wide stride : {Wide{1}, Wide{3}, Wide{-1}, Wide{-3}}) {
      const Wide step = stride > 0 ? stride : -stride;
      if ((count - 1) * step > high - low) continue;
      const Wide start = stride > 0 ? low : high;
      loops.push_back(Loop{type, start, start + (count - 1) * stride, stride});
      const Wide end = stride > 0 ? high : low; // ends at the type's limit, one iteration fewer
      loops.push_back(Loop{type, end - (count - 2) * stride, end, stride});
    }
  }
  return loops;
}

void emptied() {
  for (const int bits : k_bits) {
    if (bits > drain_bits) continue;
    for (const int team : {1, 2, 3, 8}) run_region(loops_of(bits), manner_for(team));
  }
}

void left_early() {
  for (const int bits : k_bits)
    for (const int team : {1, 2, 3, 8}) {
      Manner manner = manner_for(team);
      manner.most_chunks = 300;
      run_region(loops_of(bits), manner);
    }
}

void more_than_2_to_the_63() {
  // Not for the tree; the loop goes to the real runtime, decided when it is entered. Members leave early and
  // a region holds few loops, because libomp neither empties such a loop in time nor survives many that are
  // left early.
  const Wide low = lowest(Type::i64), high = highest(Type::i64), top = highest(Type::u64);
  for (const int team : {1, 2, 4}) {
    Manner manner = manner_for(team);
    manner.most_chunks = 20;
    run_region({Loop{Type::i64, low, high - 1, 1}, Loop{Type::i64, high, low + 1, -1},
                Loop{Type::i64, low, 0, 1}, Loop{Type::u64, 0, top - 1, 1},
                Loop{Type::u64, 0, Wide{1} << 63, 1}},
               manner);
    manner.most_chunks = 0; // and the tree still works afterwards
    run_region(std::vector<Loop>(20, Loop{Type::i64, 0, 99, 1}), manner);
  }
}

} // namespace

int main(int argc, char** argv) {
  loops_wanted = check::number(argc, argv, "--random", 0);
  drain_bits = check::number(argc, argv, "--drain-bits", drain_bits);
  omp_set_dynamic(0);
#ifdef __clang__
  // libomp itself hangs after members have left loops early; GCC's runtime does not.
  if (check::flag(argc, argv, "--bare")) {
    may_leave_early = false;
    return check::run(argc, argv, {CASE(random_loops), CASE(million_iterations)});
  }
#endif
  return check::run(argc, argv,
                    {CASE(random_loops), CASE(million_iterations), CASE(few_dear_iterations), CASE(emptied),
                     CASE(left_early), CASE(more_than_2_to_the_63)});
}
