// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads store to a variable each and then look at the other's. If all four accesses are sequentially
// consistent, at least one of them sees the other's store: the queues and ranges of the core are built on
// that. A processor keeps it, an emulator may not,
// and then no test of theirs with threads means anything in it.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>

namespace {

constexpr std::uint32_t k_rounds = 3'000;

struct alignas(256) Variable {
  std::atomic<std::uint32_t> value{0};
};

struct Side {
  Variable stored;
  Variable done;
  std::uint32_t seen = 0;
};
Variable begun;
Side sides[2];

void play(Side& mine, const Side& other, std::uint32_t round) {
  mine.stored.value.store(round, std::memory_order_seq_cst);
  mine.seen = other.stored.value.load(std::memory_order_seq_cst);
  mine.done.value.store(round, std::memory_order_release);
}

void await(const Variable& variable, std::uint32_t round) {
  for (int spins = 0; variable.value.load(std::memory_order_acquire) < round; ++spins)
    if (spins > 100) std::this_thread::yield();
}

} // namespace

int main() {
  std::uint32_t wrong = 0;
  std::thread other([] {
    for (std::uint32_t round = 1; round <= k_rounds; ++round) {
      await(begun, round);
      play(sides[1], sides[0], round);
    }
  });
  for (std::uint32_t round = 1; round <= k_rounds; ++round) {
    begun.value.store(round, std::memory_order_release);
    play(sides[0], sides[1], round);
    await(sides[1].done, round);
    if (sides[0].seen < round && sides[1].seen < round) ++wrong;
  }
  other.join();
  std::printf("%u of %u rounds in which neither saw the other's store\n", wrong, k_rounds);
  return wrong == 0 ? 0 : 1;
}
