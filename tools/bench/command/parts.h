// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the benchmark, and their sizes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli::bench {

struct Part {
  std::string_view name, meaning;
  bool usual; ///< measured unless the user chooses parts
  /// Duration with libomp, libgomp and oneTBB on two processors of a few years ago, full and quick.
  unsigned seconds, quick_seconds;
};

/// In the order in which they are measured.
inline constexpr std::array<Part, 22> k_parts{{
    {"loops", "workloads of 16 to 10 million iterations under every schedule", true, 720, 145},
    {"one-thread", "a loop of nanoseconds on one thread, against static", true, 5, 2},
    {"calls", "what loops, chunks, regions and the start of a process cost", true, 22, 12},
    {"anatomy", "entry, chunks, a steal and end of a loop one by one", true, 50, 20},
    {"watching", "what statistics and traces cost", false, 60, 20},
    {"crowd", "what a loop loses with more threads than processors", true, 180, 22},
    {"memory", "loops over memory, repeated: which schedules come back to data in the caches", true, 240, 60},
    {"short", "loops of microseconds that are never twice the same, and loops that turn into others", true,
     480, 110},
    {"strategies", "each strategy and batch mode of the tree; figures 7 and 19 of the paper", true, 30, 7},
    {"workers", "throughput against the number of threads; figures 8, 9 and 10", true, 100, 21},
    {"step", "time against a fixed number of iterations in a batch; figure 6", true, 40, 20},
    {"step-grid", "the expensive interval at 16 positions with 16 lengths", true, 40, 6},
    {"api", "the C++ library beside OpenMP, oneTBB, std::execution::par and libstdc++'s parallel mode", true,
     120, 30},
    {"std", "std::execution::par through the library beside libstdc++ on oneTBB", false, 600, 90},
    {"types", "the work-stealing queue and the thread pool beside oneTBB's", false, 60, 10},
    {"static", "static loops that balance themselves, of costs that stay, drift, turn and are random", false,
     8, 4},
    {"taskloop", "taskloops of five shapes, and nested, beside the runtime's own", false, 120, 30},
    {"unequal", "two threads, one of which loses half of its processor to a neighbour, a limit or bursts",
     false, 300, 60},
    {"waiting", "what idle threads cost ten programs: as the runtime waits, passive, and WSTREE_WAIT=auto",
     false, 280, 60},
    {"fronts", "uneven loops of C, Fortran, C++, Rust, Go and Python, beside their own ways", false, 150, 50},
    {"models", "all schedules of the library beside those of the runtimes", false, 300, 60},
    {"validation", "the simulator against this machine", false, 300, 90},
}};

enum class Size { full, quick, smoke };

/// The programs of a start: that of the first runtime, that of each, or the first one that there is.
enum class By { first, each, one };

/// The needs of a start, besides its arguments.
enum Needs : unsigned {
  k_preload = 1, ///< the library is preloaded into the program, if there is one
  k_library = 2, ///< is not started without the library
  k_plain = 4,   ///< the program runs without the library, too
  k_only = 8,    ///< takes the user's --only
  k_threads = 16 ///< takes the user's --threads
};

/// A program that a part starts. Words in braces stand for the user's choices (session.cpp); words behind
/// `else` are left out if the user's --only takes their place.
struct PartStart {
  std::string_view part, title, program;
  By by;
  unsigned needs;
  std::string_view arguments;
  std::array<std::string_view, 3> sized; ///< more of them, for each size
  std::string_view name = "";            ///< name of its findings; else the runtime's behind
                                         ///< it: "calls-libgomp"
  std::string_view variable = "";
};

inline constexpr std::string_view k_calls_of_test = "--rounds 1 --loops 20 --batches 1 --max-delay 1e9";
inline constexpr std::array<PartStart, 23> k_starts{{
    {"loops",
     "Loops",
     "loops",
     By::first,
     k_preload | k_only,
     "{rounds} {bare} {beside} {tbb} {system}",
     {"else --groups paper,program,small",
      "else --passes 2 --groups paper,program --only ^[^/]*(/16|/100k|/1M|/10M)?$",
      "else --groups paper,program,small"},
     "loops"},
    {"one-thread",
     "One thread",
     "loops",
     By::first,
     k_preload,
     "{rounds} {bare} {beside} {system} --threads 1 --only ^UNIFORM/10M$ --candidates static,wstree --passes",
     {"9", "9", "1"},
     "P=1"},
    {"calls",
     "Calls and start-up",
     "overhead",
     By::each,
     k_plain,
     "{library}",
     {"", "--rounds 3 --pairs 60", "--rounds 1 --loops 50 --batches 3 --pairs 3 --max-delay 1e9"}},
    {"anatomy",
     "Each call of a loop by itself",
     "overhead",
     By::each,
     k_plain,
     "{library} --anatomy 1 --pairs 0",
     {"--rounds 3", "--rounds 1", "--rounds 1 --loops 50 --batches 3 --max-delay 1e9"}},
    {"watching",
     "What watching costs",
     "watching",
     By::each,
     k_library,
     "{library}",
     {"", "--rounds 3 --turns 8", "--rounds 1 --turns 1 --loops 5"}},
    {"crowd",
     "As many threads as processors",
     "loops",
     By::first,
     k_preload,
     "{few} {beside} --only ^TRIANGLE/100k$ --candidates static,dyn1,dyn64,guided,steal1,wstree",
     {"--scale 40", "--scale 40 --passes 1", ""},
     "few"},
    {"crowd",
     "64 threads",
     "loops",
     By::first,
     k_preload,
     "{few} {beside} --only ^TRIANGLE/100k$ --candidates static,dyn1,dyn64,guided,steal1,wstree --threads 64",
     {"--scale 40", "--scale 40 --passes 1", ""},
     "P=64"},
    {"memory",
     "Loops over memory, 100 times",
     "loops",
     By::first,
     k_preload,
     "{two} {beside} {tbb} --groups memory",
     {"", "--passes 1", ""},
     "memory"},
    {"short",
     "Short loops",
     "loops",
     By::each,
     k_preload | k_only | k_threads,
     "{short} --groups short,untuned --passes 1 --candidates {candidates}",
     {"else --only /", "else --only /([24]|jump|after)$", "else --only /"}},
    {"short",
     "What an even loop of a microsecond loses",
     "overhead",
     By::each,
     k_plain | k_threads,
     "{library}",
     {"--rounds 5 --even 1 --pairs 0 {crowd}", "--rounds 3 --even 1 --pairs 0 {crowd}",
      "--rounds 1 --loops 20 --batches 1 --max-delay 1e9 --even 1 --pairs 0"},
     "even-"},
    {"step",
     "Time against STEP",
     "step",
     By::each,
     k_plain,
     "{library}",
     {"", "--rounds 3", "--rounds 1 --passes 1 --iterations 2000 --most 8 --max-delay 1e9"}},
    {"step-grid",
     "The expensive interval at every position",
     "loops",
     By::first,
     k_preload,
     "{few} --step-grid",
     {"", "--candidates guided,wstree", "--candidates guided,wstree"},
     "grid"},
    {"api",
     "The C++ library",
     "api",
     By::each,
     k_plain | k_only | k_threads,
     "",
     {"", "--rounds 3 --scale 0.2 --tries 40",
      "--rounds 1 --passes 1 --scale 0.0005 --tries 8 --pause-ms 0"}},
    {"api",
     "Calls beside twelve busy threads",
     "api",
     By::each,
     k_plain,
     "--load 12",
     {"", "--rounds 3 --calls 300", "--rounds 1 --calls 2"},
     "load-"},
    {"std",
     "The standard library's parallel algorithms",
     "std",
     By::one,
     k_only,
     "",
     {"", "--rounds 3 --largest 1000000", "--rounds 1 --passes 1 --largest 1000 --scale 0.0005"}},
    {"types",
     "The work-stealing queue and the thread pool",
     "types",
     By::one,
     k_only | k_threads,
     "",
     {"", "--rounds 3 --scale 0.2", "--rounds 1 --scale 0.0005"}},
    {"static",
     "Static loops that balance themselves",
     "static",
     By::one,
     k_preload | k_library | k_only | k_threads,
     "",
     {"", "--executions 100", "--executions 8 --us 20"},
     "",
     "WSTREE_LOOPS=static"},
    {"taskloop",
     "Taskloops",
     "taskloop",
     By::each,
     k_library | k_only | k_threads,
     "{library}",
     {"", "--rounds 1 --executions 3", "--rounds 1 --executions 1 --us 20"}},
    {"unequal",
     "Unequal processors",
     "unequal",
     By::each,
     k_library,
     "{library}",
     {"", "--rounds 2 --scale 0.5", "--rounds 1 --scale 0.01 --milliseconds 2"}},
    {"waiting",
     "What idle threads cost",
     "waiting",
     By::each,
     k_library,
     "{library}",
     {"", "--rounds 3 --scale 0.3", "--rounds 1 --scale 0.001"}},
    {"fronts",
     "Front ends",
     "fronts",
     By::one,
     k_library | k_only,
     "{library}",
     {"", "--rounds 1", "--rounds 1 --passes 1 --us 20"}},
    {"models",
     "Models",
     "loops",
     By::first,
     k_preload | k_only,
     "{rounds} {bare} {beside} {system} --groups paper --candidates models",
     {"else --only /", "else --only ^[^/]*/[^/]*$", "else --only ^(UNIFORM|TRIANGLE|STEP_E)/"},
     "loops"},
    {"models",
     "Calls of the models",
     "overhead",
     By::each,
     k_plain,
     "{library} --schedules models --pairs 0",
     {"", "--rounds 3", k_calls_of_test},
     "calls-"},
}};

struct Selection {
  std::vector<std::string> parts; ///< in the order of k_parts
  Size size = Size::full;
  unsigned rounds = 0;       ///< rounds of the loops
  unsigned short_rounds = 0; ///< rounds of the short loops

  [[nodiscard]] bool has(std::string_view part) const;
  /// Returns about how long the selection takes; the number of rounds changes some parts alone.
  [[nodiscard]] unsigned seconds() const;
};

/// Returns the number of rounds of the loops, unless the user sets it.
unsigned usual_rounds(Size size);
unsigned usual_short_rounds(Size size);
/// Returns the seconds of the parts that are measured unless the user chooses parts.
unsigned usual_seconds(Size size);

/// Puts the words of `list` into `chosen`, in the order of `known`. Returns the error in the list, as one
/// line: a word that is not among `known`.
std::optional<std::string> choose(std::string_view option, const std::string& list,
                                  const std::vector<std::string>& known, std::vector<std::string>& chosen);

/// Chooses the parts that `list` names, or the usual ones. Returns the error in the list.
std::optional<std::string> choose_parts(const std::optional<std::string>& list, Size size,
                                        std::vector<std::string>& chosen);

} // namespace wstree::cli::bench
