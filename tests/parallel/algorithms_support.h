// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes, numbers of threads and operators that the tests of the algorithms have in common.
#pragma once

#include "seed.h"

#include <wstree/parallel.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace wstree::algorithms_test {

/// Around the ends of pieces that callers execute alone, of blocks and of tiles.
inline const std::vector<std::size_t> k_sizes{0,    1,    2,    3,    4,     5,     131,   132,    133,
                                              2047, 2048, 2049, 4096, 32767, 32768, 65537, 200'003};

/// Runs test(n, policy with t threads).
template <class Test> void for_sizes_and_threads(Test test) {
  for (const std::size_t n : k_sizes) {
    for (unsigned threads = 1; threads <= 8; ++threads) {
      if (n < 2000 && threads > 2) break; // those are over before others come
      SCOPED_TRACE(std::to_string(n) + " elements, " + std::to_string(threads) + " threads");
      test(n, par().threads(threads));
    }
  }
}

/// The same with few numbers of threads.
template <class Test> void for_sizes_and_few_threads(Test test) {
  for (const std::size_t n : k_sizes)
    for (const unsigned threads : {1U, 2U, 5U}) {
      SCOPED_TRACE(std::to_string(n) + " elements, " + std::to_string(threads) + " threads");
      test(n, par().threads(threads));
    }
}

inline std::vector<int> numbers(std::size_t n, int below, std::uint64_t salt = 0) {
  std::mt19937_64 random(test::seed() + salt);
  std::vector<int> values(n);
  for (int& value : values) value = static_cast<int>(random() % static_cast<std::uint64_t>(below));
  return values;
}

/// Fractions whose sums depend on the order of additions.
inline std::vector<double> fractions(std::size_t n) {
  std::vector<double> values;
  for (const int i : numbers(n, 100'000)) values.push_back(1.0 / (1 + i));
  return values;
}

/// x -> a x + b modulo 2^32; composition is associative and not commutative,
/// and no operand order goes unnoticed.
struct Affine {
  std::uint32_t a = 1, b = 0;
  bool operator==(const Affine&) const = default;
};
struct Then {
  Affine operator()(const Affine& first, const Affine& second) const {
    return {first.a * second.a, first.b * second.a + second.b};
  }
};
inline std::vector<Affine> affine_maps(std::size_t n) {
  std::mt19937 random(static_cast<std::uint32_t>(test::seed()));
  std::vector<Affine> maps(n);
  for (Affine& map : maps)
    map = {static_cast<std::uint32_t>(random()) | 1, static_cast<std::uint32_t>(random())};
  return maps;
}

} // namespace wstree::algorithms_test
