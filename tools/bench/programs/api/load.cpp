// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "load.h"
#include "measure/kernel.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>
#include <sched.h>
#include <thread>
#include <wstree/parallel.hpp>
#ifdef WSTREE_BENCH_PEER_TBB
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>
#endif

namespace bench {
namespace {

constexpr std::size_t k_elements = 1000;

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Candidate {
  const char* name;
  std::function<std::uint64_t(std::uint64_t units)> call;
  std::vector<double> us{};
};

std::vector<Candidate> candidates() {
  const auto ours = [](const auto& policy, std::uint64_t units) {
    return wstree::transform_reduce(policy, std::size_t{0}, k_elements, std::uint64_t{0}, wstree::plus{},
                                    [=](std::size_t i) { return spin(i, units); });
  };
  return {{"one thread",
           [](std::uint64_t units) {
             std::uint64_t sum = 0;
             for (std::size_t i = 0; i < k_elements; ++i) sum += spin(i, units);
             return sum;
           }},
          {"wstree", [=](std::uint64_t units) { return ours(wstree::par("load"), units); }},
          {"wstree_crew",
           [=](std::uint64_t units) { return ours(wstree::par("crew").on(wstree::resident_crew), units); }},
#ifdef WSTREE_BENCH_PEER_TBB
          {"tbb",
           [](std::uint64_t units) {
             using Range = tbb::blocked_range<std::size_t>;
             return tbb::parallel_reduce(
                 Range(0, k_elements), std::uint64_t{0},
                 [=](const Range& r, std::uint64_t sum) {
                   for (std::size_t i = r.begin(); i < r.end(); ++i) sum += spin(i, units);
                   return sum;
                 },
                 std::plus<>());
           }},
#endif
          {"openmp static", [](std::uint64_t units) {
             std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
             for (std::size_t i = 0; i < k_elements; ++i) sum += spin(i, units);
             return sum;
           }}};
}

/// Threads that want a processor as long as this lives.
class Load {
public:
  explicit Load(int busy) {
    for (int k = 0; k < busy; ++k)
      threads_.emplace_back([this] {
        while (!done_.load(std::memory_order_relaxed)) static_cast<void>(spin(1, 1000));
      });
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load() {
    done_.store(true, std::memory_order_relaxed); // relaxed: nothing is handed over
    for (std::thread& thread : threads_) thread.join();
  }

private:
  std::atomic<bool> done_{false};
  std::vector<std::thread> threads_;
};

} // namespace

bool measure_beside_load(int busy, int rounds, int calls, Report& report) {
  // Real-time priority would keep the load away.
  const sched_param priority{0};
  sched_setscheduler(0, SCHED_OTHER, &priority);
  Table& table = report.table("call beside " + std::to_string(busy) + " busy threads", "us a call");
  std::mt19937_64 random(1);
  const Load load(busy);
  bool right = true;
  for (const int us : {94, 10}) {
    const auto units = static_cast<std::uint64_t>(us * 1e3 / k_elements / k_ns_per_unit);
    std::vector<Candidate> all = candidates();
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::uint64_t expected = all[0].call(units);
    for (int round = 0; round < rounds; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t which : order) {
        Candidate& candidate = all[which];
        for (int k = 0; k < calls; ++k) {
          const double start = now_us();
          right = candidate.call(units) == expected && right;
          candidate.us.push_back(now_us() - start);
        }
      }
    }
    const std::string row = std::to_string(us) + " us";
    const auto mean = [](const Candidate& of) {
      return std::accumulate(of.us.begin(), of.us.end(), 0.0) / static_cast<double>(of.us.size());
    };
    double best = mean(all[0]);
    for (const Candidate& candidate : all) {
      table.at(row + ", mean", candidate.name) = fact(mean(candidate));
      table.at(row + ", median", candidate.name) = fact(median(candidate.us));
      if (candidate.name == std::string("tbb")) best = std::min(best, mean(candidate));
    }
    report
        .verdict("beside busy threads, " + row +
                     (us > 10 ? ", of the better of one thread and oneTBB" : ", of one thread"),
                 us > 10 ? 1.5 : 1.2)
        .add("wstree, mean", mean(all[1]) / (us > 10 ? best : mean(all[0])));
  }
  table.print();
  if (!right) std::fprintf(stderr, "bench: load: the result is wrong\n");
  return right;
}

} // namespace bench
