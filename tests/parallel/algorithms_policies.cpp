// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What policies promise of the order of operations, in calls that fold pieces and in scans.
#include "algorithms_support.h"

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

namespace wstree::algorithms_test {
namespace {

/// Sums `in`, whose bits depend on the pieces.
template <class Policy> double folded(const Policy& policy, const std::vector<double>& in) {
  return fold(
      policy, std::size_t{0}, in.size(), 0.0,
      [&](double sum, std::size_t begin, std::size_t end) {
        for (; begin < end; ++begin) sum += in[begin];
        return sum;
      },
      std::plus<>{});
}

/// Whatever threads and chunks there are, and whether elements are in memory or made.
TEST(Policy, ReproducibleResultsHaveTheSameBits) {
  for (const std::size_t n : k_sizes) {
    if (n > 100'000) continue;
    const std::vector<double> in = fractions(n);
    const std::vector<float> floats(in.begin(), in.end());
    std::vector<double> out(n), expected(n);
    const double alone = sum(reproducible.threads(1), in), pieces = folded(reproducible.threads(1), in);
    const double last = inclusive_scan(reproducible.threads(1), in, expected);
    EXPECT_NEAR(alone, std::accumulate(in.begin(), in.end(), 0.0), 1e-9 * alone);
    EXPECT_EQ(last, n == 0 ? 0 : expected.back());
    const auto get = [&](std::size_t i) { return in[i]; };
    const auto same = [](auto x) { return x; };
    for (const unsigned threads : {1U, 2U, 5U})
      for (const std::uint64_t chunk : {17U, 5'000U}) {
        SCOPED_TRACE(std::to_string(n) + " elements, " + std::to_string(threads) + " threads, chunks of " +
                     std::to_string(chunk));
        const auto policy = reproducible.threads(threads).min_chunk(chunk).max_chunk(chunk);
        EXPECT_EQ(std::bit_cast<std::uint64_t>(sum(policy, in)), std::bit_cast<std::uint64_t>(alone));
        EXPECT_EQ(reduce(policy, in, 0.0), alone);
        EXPECT_EQ(sum(par().threads(threads), in), alone) << "sums of numbers are always reproducible";
        EXPECT_EQ(transform_reduce(policy, std::size_t{0}, n, 0.0, std::plus<>{}, get), alone);
        EXPECT_EQ(transform_reduce(policy, floats, 0.0F, std::plus<>{}, same), sum(floats));
        EXPECT_EQ(folded(reproducible.threads(threads), in), pieces);
        EXPECT_EQ(inclusive_scan(policy, in, out), last);
        EXPECT_EQ(out, expected);
        EXPECT_EQ(transform_inclusive_scan(policy, std::size_t{0}, n, out, std::plus<>{}, get), last);
        EXPECT_EQ(out, expected);
        out = in; // the input may be the output
        transform_inclusive_scan(policy, out, out, std::plus<>{}, same);
        EXPECT_EQ(out, expected);
      }
  }
}

// Bits that any machine has: the additions are written down here once more, without cuts.
TEST(Policy, SumsAreTheCanonicalTreeOverBlocks) {
  const std::vector<double> in = fractions(7 * 2048 + 100);
  const auto block = [&](std::size_t b) {
    const std::size_t begin = b * 2048, end = std::min(in.size(), begin + 2048);
    double lane[8];
    for (std::size_t i = begin; i < end; ++i)
      lane[(i - begin) % 8] = i - begin < 8 ? in[i] : lane[(i - begin) % 8] + in[i];
    for (int half = 4; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) lane[l] += lane[l + half];
    return lane[0];
  };
  const double left = (block(0) + block(1)) + (block(2) + block(3)),
               right = (block(4) + block(5)) + (block(6) + block(7));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(sum(in)), std::bit_cast<std::uint64_t>(left + right));
}

TEST(Policy, ReproducibleFoldsOfTeamsHaveTheBitsOfOthers) {
  const std::vector<double> in = fractions(200'003);
  const double alone = folded(reproducible.threads(1), in);
  for (int threads = 1; threads <= 4; ++threads) {
    std::atomic<int> right{0};
#pragma omp parallel num_threads(threads)
    right += alone == team::fold(
                          reproducible, std::size_t{0}, in.size(), 0.0,
                          [&](double sum, std::size_t begin, std::size_t end) {
                            for (; begin < end; ++begin) sum += in[begin];
                            return sum;
                          },
                          std::plus<>{});
    EXPECT_EQ(right, threads);
  }
}

TEST(Policy, SequentialSumsAndScansGoFromLeftToRight) {
  for_sizes_and_threads([](std::size_t n, const auto& some) {
    const auto policy = sequential_order.threads(some.threads());
    const std::vector<double> in = fractions(n);
    std::vector<double> out(n), expected(n);
    const double total = std::accumulate(in.begin(), in.end(), 0.0);
    EXPECT_EQ(sum(policy, in), total);
    EXPECT_EQ(reduce(policy, in, 1.0), std::accumulate(in.begin(), in.end(), 1.0));
    std::inclusive_scan(in.begin(), in.end(), expected.begin());
    EXPECT_EQ(inclusive_scan(policy, in, out), total);
    EXPECT_EQ(out, expected);
    EXPECT_EQ(transform_inclusive_scan(policy, in, out, std::plus<>{}, [](double x) { return x; }), total);
    EXPECT_EQ(out, expected);
    std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0.5);
    EXPECT_EQ(exclusive_scan(policy, in, out, 0.5), std::accumulate(in.begin(), in.end(), 0.5));
    EXPECT_EQ(out, expected);
    out = in; // the input may be the output
    exclusive_scan(policy, out, out, 0.5);
    EXPECT_EQ(out, expected);
    out = in;
    transform_exclusive_scan(policy, out, out, 0.5, std::plus<>{}, [](double x) { return x; });
    EXPECT_EQ(out, expected);
  });
}

/// in[i], which takes a while, and notes the thread that asks.
struct DearElements {
  const std::vector<double>& in;
  std::mutex& mutex;
  std::set<std::thread::id>& threads;
  double operator()(std::size_t i) const {
    {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    return in[i];
  }
};

TEST(Policy, DearElementsOfOneBlockAreSharedAndHaveItsBits) {
  std::mutex mutex;
  std::set<std::thread::id> threads; // of all calls: a thread of the crew may come too late for one of them
  for (const std::size_t n : {9U, 100U, 2000U, 4500U}) {
    const std::vector<double> in = fractions(n);
    std::vector<double> out(n), expected(n);
    const double total = inclusive_scan(reproducible.threads(1), in, expected);
    const double all = sum(in), product = reduce(reproducible, in, 1.0, std::multiplies<>{});
    const DearElements dear{in, mutex, threads};
    const auto policy = reproducible.threads(2);
    EXPECT_EQ(transform_reduce(policy, std::size_t{0}, n, 0.0, std::plus<>{}, dear), all);
    EXPECT_EQ(transform_inclusive_scan(policy, std::size_t{0}, n, out, std::plus<>{}, dear), total);
    EXPECT_EQ(out, expected);
    EXPECT_EQ(transform_reduce(policy, std::size_t{0}, n, 1.0, std::multiplies<>{}, dear), product);
  }
  EXPECT_GE(threads.size(), 2U);
}

/// The sum of f(in[i]), and of the last result of a scan, at one call site each.
template <class F> std::pair<double, double> sum_and_scan(const std::vector<double>& in, F f) {
  std::vector<double> out(in.size());
  return {transform_reduce(reproducible, in.begin(), in.end(), 0.0, std::plus<>{}, f),
          transform_inclusive_scan(reproducible, in, out.begin(), std::plus<>{}, f)};
}

TEST(Policy, CallsThatAreKnownToBeBriefHaveTheBitsOfOthers) {
  const std::vector<double> in = fractions(33);
  const auto f = [](double x) { return x * x; };
  const auto first = sum_and_scan(in, f);
  for (int calls = 0; calls < 100; ++calls) EXPECT_EQ(sum_and_scan(in, f), first) << calls;
}

} // namespace
} // namespace wstree::algorithms_test
