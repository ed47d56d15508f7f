// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "clock.h"
#include "rank_loops.h"
#include "remote_words.h"
#include "team_time.h"

#include "wstree/mpi/pacing.h"
#include "wstree/mpi/search.h"
#include "wstree/mpi/victims.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace wstree::simulate {

namespace {

namespace ranks = mpi::detail;

constexpr double k_seconds = 1e12; // units of Time in a second

/// A rank in the simulator, in the place of mpi::detail::Drive.
class StealingRank {
public:
  StealingRank(RemoteWords& words, const Workload& workload, const Cluster& cluster,
               const ranks::FirstCut& cut, std::uint32_t rank)
      : words_(words), rank_(rank), member_(words, rank, cluster.ranks),
        pacing_(cluster.threads, static_cast<double>(cluster.network.latency) / k_seconds, 1),
        victims_(rank, cluster.ranks, {}), team_(workload, cluster.threads), cut_(cut) {}

  void run() {
    member_.open(1, cut_, 0);
    for (ranks::Range piece; ranks::search(member_, *this, piece);) {
      const double patience = pacing_.patience(piece.size());
      const auto done = team_.execute(piece.begin, piece.end, static_cast<Time>(patience * k_seconds));
      VirtualClock::running->pass(done.time);
      const auto end = static_cast<std::uint32_t>(done.end);
      member_.count(end - piece.begin);
      // As in mpi::detail::Executed.
      const Time waited = std::min(done.time - done.busy, done.longest);
      pacing_.ran(end - piece.begin, static_cast<double>(done.time - waited) / k_seconds,
                  static_cast<double>(done.longest) / k_seconds);
      member_.give_back({end, piece.end});
      show_cost();
    }
  }

  static bool goes_on() { return true; }
  std::uint32_t bound() {
    member_.bound();
    return ~0U;
  }
  std::uint64_t want(std::uint64_t left) const { return pacing_.want(left); }
  static void drop(std::uint32_t) {}
  static void rest() {}
  static bool is_resting() { return false; }
  bool steal() {
    ranks::Range stolen;
    const auto [victim, word] = victims_.choose(member_, words_, pacing_.cost(), pacing_.shortest());
    return victim != ranks::Victims::k_none && member_.steal(victim, word, stolen);
  }
  static void wait(unsigned rounds) {
    constexpr long k_yield_ns = 1'000;
    VirtualClock::running->pass(static_cast<Time>(std::max(ranks::nap_after(rounds), k_yield_ns)) * k_ns);
  }

private:
  void show_cost() {
    const auto cost = static_cast<float>(pacing_.cost());
    if (cost < shown_ * 1.1F && cost > shown_ * 0.9F) return;
    shown_ = cost;
    words_.store_of(rank_, ranks::Slot::cost, std::bit_cast<std::uint32_t>(cost));
  }

  RemoteWords& words_;
  std::uint32_t rank_;
  ranks::Member<RemoteWords> member_;
  ranks::Pacing pacing_;
  ranks::Victims victims_;
  TeamTime team_;
  const ranks::FirstCut& cut_;
  float shown_ = 0;
};

} // namespace

Time stolen_time(const Workload& workload, const Cluster& cluster) {
  RemoteWords words(cluster.network, cluster.ranks);
  const ranks::FirstCut cut(static_cast<std::uint32_t>(workload.iterations()), cluster.ranks, {});
  VirtualClock clock;
  Time last = 0;
  for (std::uint32_t rank = 0; rank < cluster.ranks; ++rank)
    clock.start(rank, 0, [&, rank] {
      StealingRank(words, workload, cluster, cut, rank).run();
      last = std::max<Time>(last, VirtualClock::now);
    });
  clock.run([](std::uint32_t) {});
  // MPI_Allgather of 24 bytes from each rank.
  const auto steps = static_cast<Time>(std::bit_width(cluster.ranks - 1));
  return last + steps * cluster.network.latency + Time{24} * cluster.ranks * cluster.network.byte;
}

} // namespace wstree::simulate
