// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process's time between its regions.
#pragma once

#include <cstdint>

namespace wstree::observe {

struct WaitFigures {
  std::uint64_t gaps_ns = 0;     ///< between the regions of the thread that opens them
  std::uint64_t gaps_cpu_ns = 0; ///< processor time of other threads meanwhile
  std::uint64_t cpu_ns = 0;      ///< processor time of the process until the latest note_cpu()
  std::uint64_t wall_ns = 0;     ///< since the library was loaded, or the fork, until the latest note_wall()
};

/// Adds a gap between regions. One thread at a time.
void note_gap(std::uint64_t ns, std::uint64_t cpu_ns) noexcept;
/// Reads the clock of the process, by a system call.
void note_cpu() noexcept;
void note_wall(std::uint64_t ns) noexcept;
/// Returns whether other threads have used more than a twentieth of the process's processor time between
/// regions, when nothing was shared.
constexpr bool is_worth_saving(const WaitFigures& figures) noexcept {
  constexpr std::uint64_t k_parts = 20;
  return figures.gaps_cpu_ns > figures.cpu_ns / k_parts;
}
WaitFigures wait_figures() noexcept;
/// Starts from zero again; call in the child after fork.
void forget_gaps() noexcept;

} // namespace wstree::observe
