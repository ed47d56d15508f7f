// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace wstree::cli {

/// Executions have fewer chunks than this for each thread.
inline constexpr std::uint64_t k_few_chunks = 4;

/// Returns whether so few whole chunks are handed out that no schedule can make the loop even.
inline bool has_few_chunks(std::uint64_t chunk, std::uint64_t iterations, std::uint64_t calls,
                           std::uint64_t threads) {
  if (chunk <= 1 || calls == 0) return false;
  const auto once = static_cast<double>(iterations) / static_cast<double>(calls);
  return once / static_cast<double>(chunk) < static_cast<double>(k_few_chunks * threads);
}

} // namespace wstree::cli
