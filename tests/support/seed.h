// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seeds of randomised tests: printed, and replayed with WSTREE_TEST_SEED. WSTREE_TEST_SCALE (percent)
// sizes them.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace wstree::test {

inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* given = std::getenv("WSTREE_TEST_SEED");
    const auto chosen =
        given != nullptr
            ? std::strtoull(given, nullptr, 10)
            : static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    std::printf("seed %llu (replay with WSTREE_TEST_SEED)\n", static_cast<unsigned long long>(chosen));
    return static_cast<std::uint64_t>(chosen);
  }();
  return value;
}

/// `count` scaled by WSTREE_TEST_SCALE, at least 1.
inline std::uint64_t scaled(std::uint64_t count) {
  const char* percent = std::getenv("WSTREE_TEST_SCALE");
  const std::uint64_t value = count * (percent != nullptr ? std::strtoull(percent, nullptr, 10) : 100) / 100;
  return value == 0 ? 1 : value;
}

} // namespace wstree::test
