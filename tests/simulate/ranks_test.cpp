// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that ranks share, in virtual time: what stealing reaches, and what others are known for.
#include "ranks/rank_loops.h"
#include "workload.h"
#include "wstree/mpi/victims.h"

#include "usual.h"

namespace wstree::simulate {
namespace {

constexpr std::uint64_t k_per_thread = 1000;

double ratio(const char* shape, const Cluster& cluster, Time (*time)(const Workload&, const Cluster&)) {
  const std::uint64_t threads = std::uint64_t{cluster.ranks} * cluster.threads;
  const auto workload =
      make_workload(shape, k_per_thread * threads, threads * 1'000'000'000'000); // 1 s a thread
  return static_cast<double>(time(*workload, cluster)) /
         static_cast<double>(workload->ideal(static_cast<std::uint32_t>(threads)));
}
/// Words that count the operations on those of other ranks than 1.
struct CountedWords {
  std::vector<std::array<std::uint64_t, mpi::detail::k_slots>> words;
  int remote = 0;
  std::uint64_t& at(std::uint32_t rank, mpi::detail::Slot slot) {
    remote += rank != 1 ? 1 : 0;
    return words[rank][static_cast<std::size_t>(slot)];
  }
  std::uint64_t load(std::uint32_t rank, mpi::detail::Slot slot) { return at(rank, slot); }
  std::uint64_t swap_if(std::uint32_t rank, mpi::detail::Slot slot, std::uint64_t expected,
                        std::uint64_t wanted) {
    auto& word = at(rank, slot);
    return word == expected ? std::exchange(word, wanted) : word;
  }
};

TEST(RankSteals, MakeNoOperationThatDecidesNothing) {
  using namespace mpi::detail;
  for (const std::uint32_t ranks : {2U, 4U}) {
    CountedWords words;
    words.words.resize(ranks);
    const FirstCut cut(100 * ranks, ranks, {});
    Member<CountedWords> member(words, 1, ranks);
    Victims victims(1, ranks, {});
    member.open(1, cut, 0); // the other ranks are late: their words stand for their shares
    Range piece, stolen;
    while (member.take([](Range) { return 100; }, piece)) {
    }
    words.remote = 0;
    const auto [victim, word] = victims.choose(member, words, 1e-6, 1e-3);
    ASSERT_TRUE(member.steal(victim, word, stolen));
    EXPECT_EQ(stolen.size(), 50U);
    // The word of each rank, the costs where there is a choice, and the steal.
    EXPECT_EQ(words.remote, ranks == 2 ? 2 : 3 + 3 + 1);
  }
}

TEST(RankLoops, StealingIsNearTheIdealAndCostsEvenLoopsAPercent) {
  for (const char* const network : {"gemini", "infiniband"}) {
    const Cluster cluster{.ranks = 32, .threads = 16, .network = *network_named(network)};
    double logs = 0;
    const auto shapes = shape_names();
    for (const std::string_view shape : shapes) {
      const double reached = ratio(std::string(shape).c_str(), cluster, stolen_time);
      logs += std::log(reached);
      // One iteration of RANDIF takes a tenth of the ideal: pieces wait for several of them.
      EXPECT_LE(reached, shape == "RANDIF" ? 1.4 : 1.1) << network << ' ' << shape;
    }
    EXPECT_LE(std::exp(logs / static_cast<double>(shapes.size())), 1.08) << network;
    EXPECT_LE(ratio("UNIFORM", cluster, stolen_time),
              1.01 * ratio("UNIFORM", cluster,
                           [](const Workload& workload, const Cluster& on) {
                             return central_time(workload, on, Rule::equal, 1);
                           }))
        << network;
  }
}

/// A first piece of one iteration a thread, of which one is long, once made units look 92 times as dear as
/// they are: seven pieces whose teams were half idle followed, and the loop took 1.48 of the ideal.
TEST(RankLoops, TheWaitForALongIterationIsNoCostOfAUnit) {
  const Cluster cluster{.ranks = 4, .threads = 64, .network = k_networks[0]};
  EXPECT_LE(ratio("RANDIF", cluster, stolen_time), 1.3);
}

} // namespace
} // namespace wstree::simulate
