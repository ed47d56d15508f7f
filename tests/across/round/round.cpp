// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences of regions of one team, until numbers of loops, marks and tags have come round: every iteration
// once, one "last", one report, no growth. Random sequences, each from a seed of its own, run in a process of
// their own, so that a crash or an endless loop says whose it is; that one is then made smaller.
//
//   round [--loops N] [--seed S] [--first F] [--count C] [--marks M] [--fails] [--threads] [--ends]
//
// M: usual (as in the library), 2 or 3 (all marks have so many bits, and go round all the time), or all three
// in turn; word, link, board, counter, returned, leavers, where those are compiled: that mark has 2 bits, and
// is refreshed as if it had its usual ones. --fails: something has to go wrong, as it does then. --ends:
// members that wait for a slot soon end the ring.
//
// Without --threads one thread plays all members, by turns: any of them may be ahead, late or absent.
#include "run.h"
#include "seed.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wstree::round {
namespace {

struct Options {
  std::uint64_t seed = 0;
  std::uint64_t loops = 0;
  std::uint64_t first = 0;
  std::uint64_t count = ~std::uint64_t{0};
  bool threads = false;
  bool fails = false;
  bool ends = false;
  std::string marks = "all";
};
Options options;

/// What the process that runs the sequences has done so far.
struct Progress {
  std::uint64_t index = 0; ///< of the present sequence
  Totals totals;
};

Sequence sequence_of(std::uint64_t index) {
  const std::uint64_t seed = stress::round_seed(options.seed, 0, index);
  if (options.ends) return draw_with_ends(seed);
  if (options.threads) return draw(seed, true);
  constexpr std::array k_counting = {Model::fixed, Model::guided, Model::factoring, Model::trapezoid};
  if (index % 1'000 == 400) return draw_long(seed, 20, k_counting[seed % k_counting.size()]);
  if (index % 10'000 == 9'000) return draw_long(seed, 23, Model::tree);
  return draw(seed);
}

/// By turns, with a ring as in the library or with a small one, which goes round sooner.
template <class Marks> class Rings {
public:
  std::string run(const Sequence& sequence, Totals& totals) {
    return sequence.ring == 8 ? of8_.run(sequence, totals) : of2_.run(sequence, totals);
  }

private:
  Run<SizesOf<8>, Marks, StepRegion> of8_;
  Run<SizesOf<2>, Marks, StepRegion> of2_;
};

template <class Marks> std::string run_with(const Sequence& sequence, Totals& totals) {
  static Rings<Marks> by_turns;
  static Run<SizesOf<2>, Marks, ThreadRegion> in_threads; // whose sequences are brief ones, for small rings
  return options.threads ? in_threads.run(sequence, totals) : by_turns.run(sequence, totals);
}

#ifdef WSTREE_TEST_FORGOTTEN
template <test::Forgotten mark> std::string run_without(const Sequence& sequence, Totals& totals) {
  static Run<SizesOf<2>, test::ForgottenMarks<mark, 2>, StepRegion> by_turns;
  return by_turns.run(sequence, totals);
}
#endif

using RunSequence = std::string (*)(const Sequence&, Totals&);
struct NamedMarks {
  const char* name;
  RunSequence run;
};
constexpr NamedMarks k_marks[] = {
    {"usual", run_with<core::UsualMarks>},
    {"2", run_with<test::NarrowMarks<2>>},
    {"3", run_with<test::NarrowMarks<3>>},
#ifdef WSTREE_TEST_FORGOTTEN
    {"word", run_without<test::Forgotten::word>},
    {"link", run_without<test::Forgotten::link>},
    {"board", run_without<test::Forgotten::board>},
    {"counter", run_without<test::Forgotten::counter>},
    {"returned", run_without<test::Forgotten::returned>},
    {"leavers", run_without<test::Forgotten::leavers>},
#endif
};

std::string run_one(const Sequence& sequence, Totals& totals) {
  if (options.marks == "all") return k_marks[sequence.seed % 3].run(sequence, totals);
  for (const NamedMarks& each : k_marks)
    if (options.marks == each.name) return each.run(sequence, totals);
  return "there are no marks '" + options.marks + "'";
}

[[noreturn]] void end_with(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::fflush(nullptr);
  _exit(1);
}

/// In seconds of processor time, of all threads together: twenty times what the longest sequence needs on a
/// processor of its own, because threads that wait for one which gets no processor use time up too.
void limit_time(rlim_t seconds) {
  const rlimit limit{seconds, seconds + 5};
  setrlimit(RLIMIT_CPU, &limit);
}
rlim_t time_used() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<rlim_t>(use.ru_utime.tv_sec + use.ru_stime.tv_sec);
}
constexpr rlim_t k_most_seconds = 300;

/// How a process ended that ran sequences; empty: well.
std::string fate_of(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? "" : "violation";
  if (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL) return "never ends";
  return strsignal(WTERMSIG(status));
}

/// Runs `body` in a process of its own.
template <class Body> std::string in_child(Body&& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) end_with("no process to be had");
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    StepPlatform::report_waiting = [] { end_with("waits for ever"); };
    body();
    std::fflush(nullptr);
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return fate_of(status);
}

std::string try_alone(const Sequence& sequence, bool aloud) {
  return in_child([&] {
    if (!aloud && std::freopen("/dev/null", "w", stderr) == nullptr) _exit(0);
    limit_time(k_most_seconds / 6);
    Totals totals;
    if (const std::string wrong = run_one(sequence, totals); !wrong.empty()) end_with(wrong.c_str());
  });
}

/// The smallest sequence that goes wrong in any way, of those that one meets by making this one smaller.
Sequence shrink(Sequence sequence) {
  for (int tries = 400; tries > 0;) {
    bool found = false;
    for (const Sequence& candidate : smaller(sequence)) {
      if (--tries < 0) break;
      if (try_alone(candidate, false).empty()) continue;
      sequence = candidate;
      found = true;
      break;
    }
    if (!found) break;
  }
  return sequence;
}

int tell(const Progress& progress, const std::string& fate, const char* program) {
  const Sequence sequence = sequence_of(progress.index);
  std::fprintf(
      stderr, "sequence %llu: %s\n  %s\n  replay: %s --seed %llu --first %llu --count 1 --marks %s%s%s\n",
      static_cast<unsigned long long>(progress.index), fate.c_str(), sequence.text().c_str(), program,
      static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(progress.index),
      options.marks.c_str(), options.threads ? " --threads" : "", options.ends ? " --ends" : "");
  if (options.threads) return 1; // it need not happen again
  const Sequence small = shrink(sequence);
  std::fprintf(stderr, "  smaller: %s\n  which says: ", small.text().c_str());
  const std::string again = try_alone(small, true);
  std::fprintf(stderr, "  and ends by: %s\n", again.c_str());
  return 1;
}

void run_all(Progress& progress) {
  for (std::uint64_t i = 0; i < options.count && progress.totals.loops < options.loops; ++i) {
    progress.index = options.first + i;
    limit_time(time_used() + k_most_seconds);
    const Sequence sequence = sequence_of(progress.index);
    const std::string wrong = run_one(sequence, progress.totals);
    if (!wrong.empty()) end_with(wrong.c_str());
  }
}

void parse(int argc, char** argv) {
  bool seeded = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    bool* const flag = word == "--threads" ? &options.threads
                       : word == "--fails" ? &options.fails
                       : word == "--ends"  ? &options.ends
                                           : nullptr;
    if (flag != nullptr) {
      *flag = true;
      continue;
    }
    if (i + 1 == argc) end_with(("what is " + word + "?").c_str());
    if (word == "--marks") {
      options.marks = argv[++i];
      continue;
    }
    std::uint64_t* const number = word == "--seed"    ? &options.seed
                                  : word == "--loops" ? &options.loops
                                  : word == "--first" ? &options.first
                                  : word == "--count" ? &options.count
                                                      : nullptr;
    if (number == nullptr) end_with(("what is " + word + "?").c_str());
    *number = std::strtoull(argv[++i], nullptr, 10);
    seeded |= word == "--seed";
  }
  if (!seeded) options.seed = test::seed();
  if (options.loops == 0) options.loops = test::scaled(options.threads ? 300'000 : 2'500'000);
}

int main_of(int argc, char** argv) {
  parse(argc, argv);
  void* const shared =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) end_with("no memory to share");
  auto& progress = *::new (shared) Progress;
  const std::string fate = in_child([&] { run_all(progress); });
  if (options.fails) {
    std::printf("%s\n", fate.empty() ? "nothing went wrong" : "that is what was to be found");
    return fate.empty() ? 1 : 0;
  }
  if (!fate.empty()) return tell(progress, fate, argv[0]);
  std::printf("%llu sequences, %llu regions, %llu loops, %llu pieces: all is well, seed %llu\n",
              static_cast<unsigned long long>(progress.index - options.first + 1),
              static_cast<unsigned long long>(progress.totals.regions),
              static_cast<unsigned long long>(progress.totals.loops),
              static_cast<unsigned long long>(progress.totals.pieces),
              static_cast<unsigned long long>(options.seed));
  return 0;
}

} // namespace
} // namespace wstree::round

int main(int argc, char** argv) { return wstree::round::main_of(argc, argv); }
