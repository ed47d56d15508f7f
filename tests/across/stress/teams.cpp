// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Millions of tiny loops on teams of std::thread: every model, strategy and batch mode in turn, with members
// that dawdle, leave, cancel and open teams of their own, regions that come again so that their loops are
// remembered, and, in most regions, interruptions inside the scheduler and refused memory. No OpenMP: a
// sanitizer sees all there is.
//
//   teams [--seed S] [--rounds N] [--first R] [--most-members M] [--time-limit SECONDS]
#include "root.h"
#include "seed.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <mutex>
#include <thread>

#include <unistd.h>

namespace stress {
namespace {

struct Options {
  std::uint64_t seed = 0;
  std::uint64_t rounds = 50;
  std::uint64_t first = 0;
  std::uint64_t most_members = 64;
  std::uint64_t time_limit_s = 600;
};

Options options;
std::string command;
char replay[512]; // of the present round, made before anything can go wrong

void prepare_replay(std::uint64_t round) {
  std::snprintf(replay, sizeof replay, "  replay: %s --seed %llu --first %llu --rounds 1\n", command.c_str(),
                static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(round));
}

/// A hang says where, too.
void report_hang(int) {
  constexpr char k_what[] = "hang, or far too slow\n";
  if (write(2, k_what, sizeof k_what - 1) < 0 || write(2, replay, std::strlen(replay)) < 0) _exit(2);
  _exit(1);
}

/// Threads that open regions side by side, each with a team of its own.
class Round {
public:
  Totals run(std::uint64_t seed) {
    Random random(seed);
    const std::uint64_t roots = random.one_in(4) ? random.between(2, 3) : 1;
    const TeamSizes sizes = draw_sizes(random, static_cast<std::uint32_t>(options.most_members));
    while (roots_.size() < roots) roots_.push_back(std::make_unique<Root>());
    const bool renew = random.one_in(3);
    std::vector<std::jthread> others;
    for (std::uint64_t r = 1; r < roots; ++r)
      others.emplace_back([&, r] { open_regions(*roots_[r], round_seed(seed, 1, r), sizes, renew); });
    open_regions(*roots_[0], round_seed(seed, 1, 0), sizes, renew);
    others.clear();
    Totals all;
    for (const auto& root : roots_) all.add(root->totals());
    return all;
  }

private:
  void open_regions(Root& root, std::uint64_t seed, const TeamSizes& sizes, bool renew) {
    if (renew) root.renew_team();
    const std::uint64_t regions = wstree::test::scaled(600 / (sizes.most + 2));
    for (std::uint64_t i = 0; i < regions; ++i) {
      const std::uint64_t own = round_seed(seed, 0, i);
      if (Random(round_seed(own, 5, 0)).one_in(k_repeated_one_in))
        i += repeat(root, own, sizes, regions);
      else
        root.run(draw_region(own, sizes, sizes.most <= 8));
    }
  }

  /// A region that comes again and again, now and then with another one in between; how many there were.
  static std::uint64_t repeat(Root& root, std::uint64_t seed, const TeamSizes& sizes, std::uint64_t most) {
    const RegionPlan first = draw_remembered(seed, sizes, sizes.most <= 8);
    Random random(round_seed(seed, 4, 0));
    const std::uint64_t count = random.between(2, std::clamp<std::uint64_t>(most, 2, 20));
    for (std::uint64_t i = 0; i < count; ++i)
      root.run(random.one_in(16) ? draw_region(random.next(), sizes, false)
                                 : draw_again(first, random.next()));
    return count;
  }

  static constexpr std::uint64_t k_repeated_one_in = 16;
  std::vector<std::unique_ptr<Root>> roots_;
};

Totals run_rounds() {
  Round round;
  Totals totals;
  for (std::uint64_t i = 0; i < options.rounds; ++i) {
    prepare_replay(options.first + i);
    alarm(static_cast<unsigned>(options.time_limit_s));
    totals = round.run(round_seed(options.seed, 0, options.first + i));
  }
  return totals;
}

std::uint64_t number(int argc, char** argv, int& at) {
  if (at + 1 < argc) return std::strtoull(argv[++at], nullptr, 10);
  std::fprintf(stderr, "%s: %s needs a number\n", argv[0], argv[at]);
  std::exit(2);
}

void parse(int argc, char** argv) {
  bool seeded = false;
  command = argv[0];
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--seed") {
      options.seed = number(argc, argv, i);
      seeded = true;
    } else if (word == "--rounds") {
      options.rounds = number(argc, argv, i);
    } else if (word == "--first") {
      options.first = number(argc, argv, i);
    } else if (word == "--most-members") {
      options.most_members = number(argc, argv, i);
      command += " --most-members " + std::to_string(options.most_members);
    } else if (word == "--time-limit") {
      options.time_limit_s = number(argc, argv, i);
    } else {
      std::fprintf(stderr, "%s: what is %s?\n", argv[0], argv[i]);
      std::exit(2);
    }
  }
  if (!seeded) options.seed = wstree::test::seed();
}

} // namespace

void give_up(const std::string& story) {
  static std::mutex first; // for ever: one message, and not one per root
  first.lock();
  std::fprintf(stderr, "%s%s", story.c_str(), replay);
  std::fflush(nullptr);
  _exit(1);
}

} // namespace stress

int main(int argc, char** argv) {
  using namespace stress;
  parse(argc, argv);
  std::signal(SIGALRM, report_hang);
  const Totals totals = run_rounds();
  std::printf(
      "%llu rounds, %llu regions, %llu loops (%llu refused), %llu iterations in %llu pieces, %llu "
      "steals in measured loops: all is well, seed %llu\n",
      static_cast<unsigned long long>(options.rounds), static_cast<unsigned long long>(totals.regions),
      static_cast<unsigned long long>(totals.loops), static_cast<unsigned long long>(totals.refused),
      static_cast<unsigned long long>(totals.iterations), static_cast<unsigned long long>(totals.pieces),
      static_cast<unsigned long long>(totals.steals), static_cast<unsigned long long>(options.seed));
  return 0;
}
