// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that do not commute give what one thread gives, whatever searches the tree, sizes batches and
// takes part: in the default tests for a sample of each seed, with WSTREE_TEST_ORDERS=N for all combinations
// of N seeds.
#include "algorithms_support.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace wstree::algorithms_test {
namespace {

struct Matrix {
  std::array<std::uint32_t, 9> cells{};
  bool operator==(const Matrix&) const = default;
};
Matrix times(const Matrix& a, const Matrix& b) {
  Matrix product;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column)
      for (std::size_t k = 0; k < 3; ++k)
        product.cells[row * 3 + column] += a.cells[row * 3 + k] * b.cells[k * 3 + column];
  return product;
}

constexpr std::array k_strategies{core::Strategy::predefined, core::Strategy::assign,
                                  core::Strategy::assign_top, core::Strategy::random_walk,
                                  core::Strategy::random_all, core::Strategy::find_max};
constexpr std::array k_batches{core::BatchMode::timed, core::BatchMode::exponential, core::BatchMode::fixed,
                               core::BatchMode::random};
constexpr unsigned k_most_threads = 8;

/// What a seed makes of elements, and what a thread alone makes of these.
struct Elements {
  explicit Elements(std::uint64_t number) {
    std::mt19937 random(static_cast<std::uint32_t>(test::seed() + number));
    values.resize(1 + random() % 400);
    for (auto& value : values) value = static_cast<std::uint32_t>(random());
    for (const auto value : values) {
      affine = Then{}(affine, affine_of(value));
      matrix = times(matrix, matrix_of(value));
      text += text_of(value);
    }
  }
  static Affine affine_of(std::uint32_t value) { return {value | 1, value >> 3}; }
  static Matrix matrix_of(std::uint32_t value) {
    Matrix made;
    for (std::size_t i = 0; i < 9; ++i) made.cells[i] = value * static_cast<std::uint32_t>(i + 1) >> 5 | 1;
    return made;
  }
  static std::string text_of(std::uint32_t value) { return {static_cast<char>('a' + value % 26)}; }

  std::vector<std::uint32_t> values;
  Affine affine{};
  Matrix matrix{{1, 0, 0, 0, 1, 0, 0, 0, 1}};
  std::string text;
};

template <class Policy> void expect_order(const Policy& policy, const Elements& elements) {
  const Matrix one{{1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const auto slowly = [](auto of) {
    return [of](std::uint32_t value) {
      busy(value % 16 == 0 ? 400 : 100); // some take longer, so that work is stolen
      return of(value);
    };
  };
  EXPECT_EQ(transform_reduce(policy, elements.values, Affine{}, Then{}, slowly(Elements::affine_of)),
            elements.affine);
  EXPECT_EQ(transform_reduce(policy, elements.values, one, times, slowly(Elements::matrix_of)),
            elements.matrix);
  EXPECT_EQ(
      transform_reduce(policy, elements.values, std::string(), std::plus<>{}, slowly(Elements::text_of)),
      elements.text);
}

TEST(Order, OfOperatorsThatDoNotCommute) {
  std::printf("seed %llu (replay with WSTREE_TEST_SEED)\n", static_cast<unsigned long long>(test::seed()));
  const char* const all = std::getenv("WSTREE_TEST_ORDERS");
  const std::uint64_t seeds = all != nullptr ? std::strtoull(all, nullptr, 10) : 40;
  std::mt19937 random(static_cast<std::uint32_t>(test::seed()));
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Elements elements(seed);
    for (const auto strategy : k_strategies)
      for (const auto batch : k_batches)
        for (unsigned threads = 1; threads <= k_most_threads; ++threads) {
          if (all == nullptr && random() % 16 != 0) continue;
          const std::uint64_t limit = 1 + random() % 16;
          expect_order(par().threads(threads).schedule(strategy, batch, limit), elements);
          ASSERT_FALSE(testing::Test::HasFailure())
              << "seed " << seed << ", " << elements.values.size() << " elements, strategy "
              << static_cast<int>(strategy) << ", batches " << static_cast<int>(batch) << " of " << limit
              << ", " << threads << " threads";
        }
  }
}

/// Operators that return what they were given, by reference.
const std::string& larger(const std::string& a, const std::string& b) { return a < b ? b : a; }
std::string&& appended(std::string&& a, const std::string& b) { return std::move(a += b); }

TEST(Order, OfOperatorsThatReturnTheirOperands) { // with an address sanitizer
  std::vector<std::string> words;
  for (const int i : numbers(3'000, 1'000'000))
    words.push_back("a string that is not stored in place, " + std::to_string(i));
  const std::string last = *std::max_element(words.begin(), words.end());
  const std::string all = std::accumulate(words.begin(), words.end(), std::string());
  const auto expect_both = [&](const auto& policy) {
    EXPECT_EQ(reduce(policy, words, std::string(), larger), last);
    EXPECT_EQ(reduce(policy, words, larger), last);
    EXPECT_EQ(reduce(policy, words, std::string(), appended), all);
  };
  for (unsigned threads = 1; threads <= 4; ++threads) {
    SCOPED_TRACE(threads);
    expect_both(par().threads(threads).max_chunk(50));
    expect_both(sequential_order.threads(threads).max_chunk(50));
    std::vector<std::string> out(words.size());
    EXPECT_EQ(inclusive_scan(par().threads(threads).max_chunk(50), words, out, larger), last);
    EXPECT_EQ(inclusive_scan(par().threads(threads).max_chunk(50), words, out, appended), all);
    const auto chunk = [&](std::string&& so_far, std::size_t begin, std::size_t end) -> std::string&& {
      for (; begin != end; ++begin) so_far += words[begin];
      return std::move(so_far);
    };
    EXPECT_EQ(fold(par().threads(threads).max_chunk(50), std::size_t{0}, words.size(), std::string(), chunk,
                   appended),
              all);
  }
}

} // namespace
} // namespace wstree::algorithms_test
