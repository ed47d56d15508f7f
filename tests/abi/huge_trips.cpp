// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: trip counts above 2^31, 2^32, 2^40 and up to 2^63 - 1 and beyond, which no test can run one by one.
// The bodies are empty: what is checked is that the chunks tile the range. --drain-bits B: loops of up to 2^B
// - 1 iterations are emptied (a batch mode with small batches cannot do that in a lifetime), larger ones are
// left early.
#include "loop_oracle.h"

using namespace oracle;

namespace {

long long drain_bits = 40;
bool bare = false;

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

Manner manner_for(int team) {
  Manner manner;
  manner.team = team;
  manner.seed = check::settings.seed;
  manner.jitter = 1023;
  return manner;
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
  drain_bits = check::number(argc, argv, "--drain-bits", drain_bits);
  bare = check::flag(argc, argv, "--bare");
  omp_set_dynamic(0);
  if (bare) return check::run(argc, argv, {{"emptied", emptied}});
  return check::run(
      argc, argv,
      {{"emptied", emptied}, {"left_early", left_early}, {"more_than_2_to_the_63", more_than_2_to_the_63}});
}
