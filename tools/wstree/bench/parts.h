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
};

/// In the order in which they are measured.
inline constexpr std::array<Part, 12> k_parts{{
    {"loops", "workloads of 16 to 10 million iterations under every schedule", true},
    {"one-thread", "a loop of nanoseconds on one thread, against static", true},
    {"calls", "what loops, chunks, regions and the start of a process cost", true},
    {"anatomy", "entry, chunks, a steal and end of a loop one by one, and the steps of the core", true},
    {"crowd", "what a loop loses with more threads than processors", true},
    {"memory", "loops over memory, repeated: who comes back to what is in the caches", true},
    {"strategies", "each strategy and batch mode of the tree; figures 7 and 19 of the paper", true},
    {"workers", "throughput against the number of threads; figures 8, 9 and 10", true},
    {"step", "time against a fixed number of iterations in a batch; figure 6", true},
    {"step-grid", "the expensive interval at 16 positions with 16 lengths", true},
    {"models", "all schedules of the library beside those of the runtimes", false},
    {"validation", "the simulator against this machine", false},
}};

enum class Size { full, quick, smoke };

struct Selection {
  std::vector<std::string> parts; ///< in the order of k_parts
  Size size = Size::full;
  unsigned rounds = 0; ///< of the loops

  [[nodiscard]] bool has(std::string_view part) const;
};

/// The words of `list` that are among `known`, in that order; else what is wrong with it, as one line.
std::optional<std::string> choose(std::string_view option, const std::string& list,
                                  const std::vector<std::string>& known, std::vector<std::string>& chosen);

/// Those that `list` names, or the usual ones. Returns what is wrong with the list.
std::optional<std::string> choose_parts(const std::optional<std::string>& list, Size size,
                                        std::vector<std::string>& chosen);

} // namespace wstree::cli::bench
