// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "properties.h"
#include "measure/kernel.h"
#include "measure/process.h"
#include <algorithm>
#include <bit>
#include <cstdio>
#include <fcntl.h>
#include <set>
#include <sys/resource.h>
#include <unistd.h>

namespace bench {
namespace {

constexpr int k_most_threads = 8;
constexpr int k_lowest = 0, k_another = 10, k_none = 11;
constexpr long k_throw_n = 100'000, k_throw_from = 50'000;

std::string text(const char* format, auto... values) {
  char made[96];
  std::snprintf(made, sizeof made, format, values...);
  return made;
}

/// Checks the order of operands with affine maps, under each number of threads.
Property ordered(const Peer& peer, int times) {
  std::vector<Affine> maps(20'000);
  int wrong = 0, tried = 0;
  for (int time = 0; time < times; ++time) {
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const std::uint64_t seed = (static_cast<std::uint64_t>(time) << 32) + 2 * i;
      maps[i] = {scatter(seed) | 1, scatter(seed + 1)};
    }
    const Affine expected = sequential_peer().ordered(maps);
    with_threads(1 + time % k_most_threads, [&] { wrong += peer.ordered(maps) != expected; });
    ++tried;
  }
  return {"ordered", peer.name, text("%d of %d wrong", wrong, tried), wrong == 0};
}

Property reproducible(const Peer& peer, const std::function<double(Doubles)>& sum, int times) {
  std::vector<double> data(1'000'003);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<double>(scatter(i)) * 0x1p-64 * (i % 2 == 0 ? 1 : 1e-9);
  std::set<std::uint64_t> seen;
  for (int time = 0; time < times; ++time)
    with_threads(1 + time % k_most_threads, [&] { seen.insert(std::bit_cast<std::uint64_t>(sum(data))); });
  return {"reproducible", peer.name, text("%zu results", seen.size()), seen.size() == 1};
}

Property first_of_equals(const Peer& peer, int times) {
  int wrong = 0;
  std::vector<double> data(100'000);
  for (int time = 0; time < times; ++time) {
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<double>(scatter(i + (static_cast<std::uint64_t>(time) << 32)) % 50);
    const std::size_t expected = sequential_peer().least(data);
    with_threads(1 + time % k_most_threads, [&] { wrong += peer.least(data) != expected; });
  }
  return {"first of equals", peer.name, text("%d of %d wrong", wrong, times), wrong == 0};
}

/// Measures the part of all elements that a search looks at if its hit is at one percent. The part is the
/// least of a few searches: while the thread in front of the hit waits for a processor, the others go on.
Property early_exit(const Peer& peer) {
  constexpr long k_n = 1'000'000, k_hit = k_n / 100;
  double share = 100;
  bool is_found = true;
  for (int time = 0; time < 4; ++time) {
    std::atomic<long> looked_at{0};
    with_threads(2, [&] { is_found &= peer.early_exit(k_n, k_hit, looked_at) == k_hit; });
    share = std::min(share, 100.0 * static_cast<double>(looked_at.load()) / k_n);
  }
  return {"early exit", peer.name, text("%.1f %% seen", share), is_found && share < 50};
}

/// Tests whether the exception of the lowest element reaches the caller, if several are thrown. A peer that
/// terminates the program does it in a child of this one.
Property exception_of_lowest(const Peer& peer, int times) {
  int caught = 0, lowest = 0;
  for (int time = 0; time < times; ++time) {
    const int status = run_child("", {"--throw-in", peer.name}, own_environment(), nullptr);
    caught += status == k_lowest || status == k_another;
    lowest += status == k_lowest;
    if (status > 128) break;
  }
  const bool always = caught == times;
  return {"exception", peer.name,
          !always           ? "program ends"
          : lowest == times ? "lowest caught"
                            : "caught, any",
          always && lowest == times};
}

} // namespace

std::vector<Property> try_properties(const std::vector<Peer>& peers, int times) {
  std::vector<Property> all;
  for (const Peer& peer : peers) {
    if (peer.ordered) all.push_back(ordered(peer, times));
    if (const auto& sum = peer.reproducible_sum ? peer.reproducible_sum : peer.sum)
      all.push_back(reproducible(peer, sum, times));
    if (peer.for_each) all.push_back(exception_of_lowest(peer, std::min(times, 10)));
    if (peer.least) all.push_back(first_of_equals(peer, times));
    if (peer.early_exit) all.push_back(early_exit(peer));
  }
  return all;
}

int throw_in(const std::string& name) {
  // std::terminate() prints a message, which is expected here.
  const int silence = open("/dev/null", O_WRONLY);
  if (silence >= 0) dup2(silence, STDERR_FILENO);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  int status = k_none;
  std::atomic<long> lowest{k_throw_n};
  const auto fail = [&](long i) {
    if (i < k_throw_from) return;
    long seen = lowest.load(std::memory_order_relaxed);
    while (i < seen && !lowest.compare_exchange_weak(seen, i, std::memory_order_relaxed)) {
    }
    throw i;
  };
  for (const Peer& peer : all_peers())
    if (peer.name == name)
      with_threads(2, [&] {
        try {
          peer.for_each(k_throw_n, fail);
        } catch (const long thrown) {
          status = thrown == lowest ? k_lowest : k_another;
        }
      });
  return status;
}

} // namespace bench
