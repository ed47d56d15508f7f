// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What there is to measure, and how much of it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli::bench {

struct Part {
  std::string_view name, meaning;
  bool usual; ///< measured unless the user says what is to be
  /// What it takes with libomp, libgomp and oneTBB on two processors of a few years ago, full and quick.
  unsigned seconds, quick_seconds;
};

/// In the order in which they are measured.
inline constexpr std::array<Part, 18> k_parts{{
    {"loops", "workloads of 16 to 10 million iterations under every schedule", true, 720, 145},
    {"one-thread", "a loop of nanoseconds on one thread, against static", true, 5, 2},
    {"calls", "what loops, chunks, regions and the start of a process cost", true, 22, 12},
    {"anatomy", "entry, chunks, a steal and end of a loop one by one, and the steps of the core", true, 66,
     28},
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
    {"types", "the work-stealing queue and the thread pool beside oneTBB's", false, 60, 10},
    {"static", "static loops that balance themselves, of costs that stay, drift, turn and are random", false,
     8, 4},
    {"taskloop", "taskloops of five shapes, by their clauses, and nested, beside the runtime's own", false,
     120, 30},
    {"models", "all schedules of the library beside those of the runtimes", false, 300, 60},
    {"validation", "the simulator against this machine", false, 300, 90},
}};

enum class Size { full, quick, smoke };

struct Selection {
  std::vector<std::string> parts; ///< in the order of k_parts
  Size size = Size::full;
  unsigned rounds = 0;       ///< of the loops
  unsigned short_rounds = 0; ///< of the short ones

  [[nodiscard]] bool has(std::string_view part) const;
  /// Returns about how long the selection takes; the number of rounds changes some parts alone.
  [[nodiscard]] unsigned seconds() const;
};

/// Of the loops, unless the user says it.
unsigned usual_rounds(Size size);
unsigned usual_short_rounds(Size size);
/// Of what is measured unless the user says it.
unsigned usual_seconds(Size size);

/// The words of `list` that are among `known`, in that order; else what is wrong with it, as one line.
std::optional<std::string> choose(std::string_view option, const std::string& list,
                                  const std::vector<std::string>& known, std::vector<std::string>& chosen);

/// Those that `list` names, or the usual ones. Returns what is wrong with the list.
std::optional<std::string> choose_parts(const std::optional<std::string>& list, Size size,
                                        std::vector<std::string>& chosen);

} // namespace wstree::cli::bench
