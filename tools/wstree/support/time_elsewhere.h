// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace wstree::cli {

/// Returns a sentence about the time that even loops lose beside their work; empty: not much. `seconds`: the
/// time of so many threads, where one thread takes `alone`.
inline std::string time_elsewhere(std::uint64_t threads, double seconds, double alone) {
  constexpr double k_far_more = 1.6;
  const double times = alone > 0 ? static_cast<double>(threads) * seconds / alone : 0;
  if (threads < 2 || times < k_far_more) return {};
  return fmt::format(
      "The time goes elsewhere: the loops are even, and {} threads together take {:.1f} times one thread's "
      "time. They wait for memory, for locks, or for cache lines that they share, which no schedule saves.",
      threads, times);
}

} // namespace wstree::cli
