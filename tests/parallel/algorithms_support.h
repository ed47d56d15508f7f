// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes, numbers of threads and operators that the tests of the algorithms have in common.
#pragma once

#include "same_calls.h"
#include "seed.h"

#include <wstree/parallel.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace wstree::algorithms_test {

/// Around the ends of pieces that callers execute alone, of blocks and of tiles.
inline const std::vector<std::size_t> k_sizes{0,    1,    2,    3,    4,     5,     131,   132,    133,
                                              2047, 2048, 2049, 4096, 32767, 32768, 65537, 140'003};

/// Short calls are over before a third thread comes, and the longest differ from others in having more tiles
/// than threads have begun.
inline bool is_worth(std::size_t n, unsigned threads) {
  return n < 2000 ? threads <= 2 : n <= 100'000 || threads >= 5;
}

/// Runs test(n, policy with t threads) for each size and number of threads.
template <class Test> void for_sizes_and(std::initializer_list<unsigned> numbers_of_threads, Test test) {
  for (const std::size_t n : k_sizes)
    for (const unsigned threads : numbers_of_threads) {
      if (!is_worth(n, threads)) continue;
      SCOPED_TRACE(std::to_string(n) + " elements, " + std::to_string(threads) + " threads");
      test(n, par().threads(threads));
    }
}
template <class Test> void for_sizes_and_threads(Test test) { for_sizes_and({1, 2, 3, 4, 5, 8}, test); }
template <class Test> void for_sizes_and_few_threads(Test test) { for_sizes_and({1, 2, 5}, test); }

/// Long enough for a team in a loop of some hundred.
inline void busy(int rounds) {
  for (int i = 0; i < rounds; ++i) asm volatile("" : : "r"(i));
}

inline std::vector<int> numbers(std::size_t n, int below, std::uint64_t salt = 0) {
  std::mt19937_64 random(test::seed() + salt);
  std::vector<int> values(n);
  for (int& value : values) value = static_cast<int>(random() % static_cast<std::uint64_t>(below));
  return values;
}

/// The same for the same elements in any order, and hardly ever for other elements.
inline std::uint64_t sum_in_any_order(const std::vector<int>& values) {
  std::uint64_t sum = 0;
  for (const int value : values) {
    const auto mixed = (static_cast<std::uint64_t>(value) + 1) * 0x9e3779b97f4a7c15U;
    sum += mixed * mixed;
  }
  return sum;
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

/// The calls of the library under the names that the standard has for them, with a policy.
#define WSTREE_OURS(name)                                                                                    \
  template <class... Arguments> decltype(auto) name(Arguments&&... arguments) const {                        \
    return wstree::name(policy, std::forward<Arguments>(arguments)...);                                      \
  }
struct Ours {
  par policy;
  WSTREE_SAME_CALLS(WSTREE_OURS)
};

} // namespace wstree::algorithms_test
