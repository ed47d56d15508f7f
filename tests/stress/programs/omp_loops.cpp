// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiny loops of a real OpenMP program: chains without barriers, combined and cancelled loops, regions in
// regions, regions that come again, several threads that open regions, teams of all sizes, and all schedules
// of the library in turn.
//
//   omp_loops [--seed S] [--rounds N] [--first R] [--most-members M] [--own-schedules] [--time-limit SECONDS]
//
// --own-schedules: the program chooses a schedule of the library before each region; else that of the
// environment counts.
#include "omp_decls.h"

#include "../random.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

using stress::Random;
using stress::round_seed;

struct Options {
  std::uint64_t seed = 0, rounds = 200, first = 0, most_members = 64, time_limit_s = 600;
  bool own_schedules = false;
};
Options options;
std::string command;
char replay[512];
std::atomic<std::uint64_t> all_loops{0}, all_iterations{0};

[[noreturn]] void fail(const char* what, std::size_t at, std::size_t size, unsigned times) {
  std::fprintf(stderr, "iteration %zu of %zu ran %u times: %s\n%s", at, size, times, what, replay);
  std::fflush(stderr);
  _exit(1);
}

void report_hang(int) {
  constexpr char k_what[] = "hang, or far too slow\n";
  if (write(2, k_what, sizeof k_what - 1) < 0 || write(2, replay, std::strlen(replay)) < 0) _exit(2);
  _exit(1);
}

struct Loop {
  std::size_t size = 0;
  unsigned cost = 0;
  bool barrier = false;
  bool complete = true;
  std::unique_ptr<std::atomic<unsigned char>[]> hits;

  void touch(std::size_t i) {
    if (i >= size) fail("there is no such iteration", i, size, 1);
    hits[i].fetch_add(1, std::memory_order_relaxed);
    for (unsigned turns = i % 13 == 0 ? cost : 0; turns > 0; --turns) __asm__ volatile("");
  }
  void forget() {
    for (std::size_t i = 0; i < size; ++i) hits[i].store(0, std::memory_order_relaxed);
  }
  void check(const char* what) const {
    for (std::size_t i = 0; i < size; ++i) {
      const unsigned times = hits[i].load(std::memory_order_relaxed);
      if (times > 1 || (complete && times == 0)) fail(what, i, size, times);
    }
    all_loops.fetch_add(1, std::memory_order_relaxed);
    all_iterations.fetch_add(size, std::memory_order_relaxed);
  }
};

std::vector<Loop> draw_loops(Random& random, std::uint64_t most) {
  std::vector<Loop> loops(random.between(1, most));
  for (Loop& loop : loops) {
    loop.size = random.one_in(16) ? 0 : random.one_in(100) ? random.below(20'000) : random.below(200);
    loop.cost = random.coin() ? 0 : static_cast<unsigned>(random.below(2'000));
    loop.barrier = random.one_in(4);
    loop.hits.reset(new std::atomic<unsigned char>[loop.size]());
  }
  return loops;
}

void check(const std::vector<Loop>& loops, const char* what) {
  for (const Loop& loop : loops) loop.check(what);
}

/// Loops that come again start from what they have cost.
std::uint64_t draw_executions(Random& random) { return random.one_in(4) ? random.between(3, 15) : 1; }

void execute_chain(std::vector<Loop>& loops, int members) {
#pragma omp parallel num_threads(members)
  for (Loop& loop : loops) {
#pragma omp for schedule(runtime) nowait
    for (std::size_t i = 0; i < loop.size; ++i) loop.touch(i);
    if (loop.barrier) {
#pragma omp barrier
    }
  }
}

void chain(Random& random, int members) {
  auto loops = draw_loops(random, 20);
  for (auto executions = draw_executions(random); executions > 0; --executions) {
    for (Loop& loop : loops) loop.forget();
    execute_chain(loops, members);
    check(loops, "chain of loops without barriers");
  }
}

void execute_combined(Loop& loop, int members) {
  std::size_t last = ~std::size_t{0};
#pragma omp parallel for schedule(runtime) num_threads(members) lastprivate(last)
  for (std::size_t i = 0; i < loop.size; ++i) {
    loop.touch(i);
    last = i;
  }
  if (loop.size != 0 && last != loop.size - 1) fail("its lastprivate value is wrong", last, loop.size, 1);
}

void combined(Random& random, int members) {
  auto loops = draw_loops(random, 4);
  for (auto executions = draw_executions(random); executions > 0; --executions) {
    for (Loop& loop : loops) {
      loop.forget();
      execute_combined(loop, members);
    }
    check(loops, "loop that is a region");
  }
}

void cancelled(Random& random, int members) {
  auto loops = draw_loops(random, 12);
  const std::size_t stop = random.below(100);
  for (std::size_t l = 0; l < loops.size(); l += 2) loops[l].complete = false;
#pragma omp parallel num_threads(members)
  for (std::size_t l = 0; l < loops.size(); ++l) {
    Loop& loop = loops[l];
    if (loop.complete) {
#pragma omp for schedule(runtime) nowait
      for (std::size_t i = 0; i < loop.size; ++i) loop.touch(i);
    } else {
#pragma omp for schedule(runtime)
      for (std::size_t i = 0; i < loop.size; ++i) {
#pragma omp cancellation point for
        loop.touch(i);
#pragma omp cancel for if (i == stop)
      }
    }
  }
  check(loops, "cancelled loops between others");
}

void nested(Random& random, int members) {
  auto loops = draw_loops(random, 3);
  const std::size_t outer = random.between(1, 6);
  std::vector<std::vector<Loop>> inner;
  for (std::size_t i = 0; i < outer; ++i) inner.push_back(draw_loops(random, 3));
#pragma omp parallel num_threads(members < 4 ? members : 4)
  {
#pragma omp for schedule(runtime) nowait
    for (std::size_t o = 0; o < outer; ++o) {
#pragma omp parallel num_threads(2)
      for (Loop& loop : inner[o]) {
#pragma omp for schedule(runtime) nowait
        for (std::size_t i = 0; i < loop.size; ++i) loop.touch(i);
      }
    }
    for (Loop& loop : loops) {
#pragma omp for schedule(runtime) nowait
      for (std::size_t i = 0; i < loop.size; ++i) loop.touch(i);
    }
  }
  check(loops, "loops after one with regions in it");
  for (const auto& each : inner) check(each, "loops of a region in a loop");
}

int draw_members(Random& random) {
  const std::uint64_t most = random.one_in(16) ? 64 : random.one_in(4) ? 16 : 4;
  return static_cast<int>(
      random.between(2, std::min(most, std::max<std::uint64_t>(options.most_members, 2))));
}

void region(Random& random, int members) {
  if (options.own_schedules) {
    const auto kind = own_schedule(static_cast<unsigned>(random.coin() ? 0 : random.below(k_own_schedules)));
    omp_set_schedule(kind, static_cast<int>(random.one_in(3) ? random.below(9) : 0));
  }
  switch (random.below(6)) {
  case 0:
    return combined(random, members);
  case 1:
    return cancelled(random, members);
  case 2:
    return nested(random, members);
  default:
    return chain(random, members);
  }
}

void round(std::uint64_t seed) {
  Random random(seed);
  const int members = draw_members(random);
  const auto work = [members](std::uint64_t own) {
    Random mine(own);
    omp_set_max_active_levels(3);
    for (std::uint64_t regions = mine.between(1, 8); regions > 0; --regions)
      region(mine, mine.one_in(3) ? draw_members(mine) : members);
  };
  if (!random.one_in(10)) return work(random.next());
  std::vector<std::thread> roots;
  for (std::uint64_t r = 0; r < 2; ++r) roots.emplace_back(work, random.next());
  for (auto& root : roots) root.join();
}

void parse(int argc, char** argv) {
  command = argv[0];
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0ULL; };
    if (word == "--seed") {
      options.seed = number();
    } else if (word == "--rounds") {
      options.rounds = number();
    } else if (word == "--first") {
      options.first = number();
    } else if (word == "--most-members") {
      options.most_members = number();
      command += " --most-members " + std::to_string(options.most_members);
    } else if (word == "--time-limit") {
      options.time_limit_s = number();
    } else if (word == "--own-schedules") {
      options.own_schedules = true;
      command += " --own-schedules";
    } else {
      std::fprintf(stderr, "%s: what is %s?\n", argv[0], argv[i]);
      std::exit(2);
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  parse(argc, argv);
  std::signal(SIGALRM, report_hang);
  omp_set_dynamic(0);
  for (std::uint64_t r = options.first; r < options.first + options.rounds; ++r) {
    std::snprintf(replay, sizeof replay, "  replay: %s --seed %llu --first %llu --rounds 1\n",
                  command.c_str(), static_cast<unsigned long long>(options.seed),
                  static_cast<unsigned long long>(r));
    alarm(static_cast<unsigned>(options.time_limit_s));
    round(round_seed(options.seed, 0, r));
  }
  std::printf(
      "%llu rounds, %llu loops, %llu iterations: all is well, seed %llu\n",
      static_cast<unsigned long long>(options.rounds), static_cast<unsigned long long>(all_loops.load()),
      static_cast<unsigned long long>(all_iterations.load()), static_cast<unsigned long long>(options.seed));
  return 0;
}
