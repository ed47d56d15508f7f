// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What policies promise of the order of operations, in calls that fold pieces and in scans.
#include "algorithms_support.h"

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

namespace wstree::algorithms_test {
namespace {

/// Sums of `in`, whose bits depend on the pieces.
double folded(unsigned threads, const std::vector<double>& in) {
  return fold(
      reproducible.threads(threads), std::size_t{0}, in.size(), 0.0,
      [&](double sum, std::size_t begin, std::size_t end) {
        for (; begin < end; ++begin) sum += in[begin];
        return sum;
      },
      std::plus<>{});
}

TEST(Policy, ReproducibleFoldsHaveTheSameBits) {
  for (const std::size_t n : k_sizes) {
    const std::vector<double> in = fractions(n);
    const double alone = folded(1, in);
    for (unsigned threads = 2; threads <= 8; ++threads) EXPECT_EQ(folded(threads, in), alone) << n;
  }
}

TEST(Policy, ReproducibleFoldsOfTeamsHaveTheBitsOfOthers) {
  const std::vector<double> in = fractions(200'003);
  const double alone = folded(1, in);
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

TEST(Policy, SequentialScansGoFromLeftToRight) {
  for_sizes_and_threads([](std::size_t n, const auto& some) {
    const auto policy = sequential_order.threads(some.threads());
    const std::vector<double> in = fractions(n);
    std::vector<double> out(n), expected(n);
    const double total = std::accumulate(in.begin(), in.end(), 0.0);
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

TEST(Policy, ElementsThatAreMadeHaveTheBitsOfThoseInMemory) {
  for_sizes_and_threads([](std::size_t n, const auto& some) {
    const auto policy = reproducible.threads(some.threads());
    const std::vector<double> in = fractions(n);
    const std::vector<float> floats(in.begin(), in.end());
    std::vector<double> out(n), expected(n);
    const auto get = [&](std::size_t i) { return in[i]; };
    const double all = inclusive_scan(reproducible, in, expected);
    EXPECT_EQ(all, n == 0 ? 0 : expected.back());
    EXPECT_EQ(transform_reduce(policy, std::size_t{0}, n, 0.0, std::plus<>{}, get), sum(in));
    EXPECT_EQ(transform_inclusive_scan(policy, std::size_t{0}, n, out, std::plus<>{}, get), all);
    EXPECT_EQ(out, expected);
    const auto same = [](float x) { return x; };
    EXPECT_EQ(transform_reduce(policy, floats, 0.0F, std::plus<>{}, same), sum(floats));
    out = in; // the input may be the output
    transform_inclusive_scan(policy, out, out, std::plus<>{}, [](double x) { return x; });
    EXPECT_EQ(out, expected);
  });
}

} // namespace
} // namespace wstree::algorithms_test
