// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: the same rules as exactly_once, on loops that no author thought of. Types, bounds, strides, chunks,
// kinds, team sizes, barriers, early leaving and pauses all come from one seed.
// --random N sets the number of loops.
#include "loop_oracle.h"

using namespace oracle;

namespace {

long long loops_wanted = 0;
bool may_leave_early = true;

/// Small counts are the rule and large ones the exception, as each power of two is equally likely.
Wide random_count(check::Random& random) {
  const std::uint64_t bound = std::uint64_t{1} << random.below(13);
  return static_cast<Wide>(random.below(bound + 1));
}

Wide random_stride(check::Random& random, Type type) {
  const Wide low = lowest_stride(type), high = highest_stride(type);
  const int bits = type == Type::i32 || type == Type::u32 ? 31 : 63;
  Wide stride = 1;
  switch (random.below(4)) {
  case 0:
    stride = 1;
    break;
  case 1:
    stride = static_cast<Wide>(random.below(100)) + 1;
    break;
  case 2:
    stride = static_cast<Wide>(random.next() >> (1 + random.below(63))) + 1;
    break;
  default:
    stride = static_cast<Wide>(std::uint64_t{1} << random.below(static_cast<std::uint64_t>(bits)));
    break;
  }
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
    manner.barriers = random.below(16) == 0;
    manner.deinit = random.below(4) != 0;
    manner.most_chunks = may_leave_early && random.below(8) == 0 ? 1 + random.below(20) : 0;
    manner.jitter = (1u << random.below(10)) - 1;
    run_region(loops, manner);
    done += static_cast<long long>(loops.size());
  }
  std::printf("%lld random loops\n", wanted);
}

} // namespace

int main(int argc, char** argv) {
  loops_wanted = check::number(argc, argv, "--random", 0);
#ifdef __clang__
  may_leave_early = !check::flag(argc, argv, "--bare"); // libomp itself hangs when members leave loops early
#endif
  omp_set_dynamic(0);
  return check::run(argc, argv, {{"random_loops", random_loops}});
}
