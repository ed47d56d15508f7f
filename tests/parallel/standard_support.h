// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers and lengths for the tests of <wstree/execution.h>.
#pragma once

#include <wstree/execution.h>

#include "seed.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace wstree::standard_test {

namespace execution = std::execution;
using Numbers = std::vector<std::int64_t>;

/// Around the lengths at which pieces, merges and sorts begin to be shared.
inline const std::vector<std::size_t> k_sizes{0, 1, 2, 3, 4, 5, 99, 500, 501, 2'000, 2'001, 8'191, 30'000};

inline Numbers numbers(std::size_t n, std::int64_t below, std::uint64_t salt = 0) {
  std::mt19937_64 random(test::seed() + salt);
  Numbers values(n);
  for (auto& value : values) value = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
  return values;
}

inline constexpr auto k_even = [](std::int64_t x) { return x % 2 == 0; };

} // namespace wstree::standard_test
