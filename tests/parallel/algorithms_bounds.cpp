// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds of chunks, however large, and the tiles that follow from them.
#include "algorithms_support.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>

namespace wstree::algorithms_test {
namespace {

constexpr std::uint64_t k_most = std::numeric_limits<std::uint64_t>::max();

template <class Policy> void expect_all_elements(const Policy& policy, const std::vector<int>& in) {
  const auto n = in.size();
  const auto is_even = [](int i) { return i % 2 == 0; };
  EXPECT_EQ(filter(policy, in, is_even).size(), n / 2);
  std::vector<int> out(n), rest(n);
  EXPECT_EQ(copy_if(policy, in, out, is_even) - out.begin(), static_cast<std::ptrdiff_t>(n / 2));
  EXPECT_EQ(partition_copy(policy, in, out, rest, is_even).second - rest.begin(),
            static_cast<std::ptrdiff_t>(n / 2));
  EXPECT_EQ(find(policy, in, static_cast<int>(n) - 5) - in.begin(), static_cast<std::ptrdiff_t>(n - 5));
  std::vector<long> sums(n);
  const long total = std::accumulate(in.begin(), in.end(), 0L);
  EXPECT_EQ(inclusive_scan(policy, in, sums, std::plus<>{}, 0L), total);
  EXPECT_EQ(sums.back(), total);
  EXPECT_EQ(reduce(policy, in, 0L), total);
}

TEST(Bounds, OfAnySizeLeaveNoElementOut) {
  const std::size_t n = 100'000;
  std::vector<int> in(n);
  std::iota(in.begin(), in.end(), 0);
  const long total = std::accumulate(in.begin(), in.end(), 0L);
  for (const std::uint64_t least : {k_most, k_most - 1, k_most / 2 + 1, k_most / 32, 2 * n, n, n / 2}) {
    for (const std::uint64_t most : {k_most, std::uint64_t{100}}) {
      SCOPED_TRACE(std::to_string(least) + " to " + std::to_string(most));
      const auto policy = par().threads(2).min_chunk(least).max_chunk(most);
      expect_all_elements(policy, in);
      std::vector<long> sums(n);
      EXPECT_EQ(inclusive_scan(reproducible.threads(2).min_chunk(least).max_chunk(most), in, sums,
                               std::plus<>{}, 0L),
                total);
      EXPECT_EQ(reduce(sequential_order.threads(2).min_chunk(least).max_chunk(most), in, 0L), total);
    }
  }
}

TEST(Bounds, HoldForChunks) {
  std::mutex mutex;
  std::vector<long> sizes;
  for_each_chunk(par().threads(4).min_chunk(16).max_chunk(64), 0L, 10'000L, [&](long begin, long end) {
    busy(1000);
    const std::lock_guard lock(mutex);
    sizes.push_back(end - begin);
  });
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), 0L), 10'000);
  for (const long size : sizes) EXPECT_LE(size, 64);
  // Only the last batch of a node is smaller.
  EXPECT_GT(*std::max_element(sizes.begin(), sizes.end()), 15);
}

// Each tile has the elements behind those of the one before, and the last one ends where the elements do.
TEST(Bounds, TilesCoverAsManyElementsAsThereCanBe) {
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{1} << 40, std::size_t{k_most / 2}, std::size_t{k_most}}) {
    for (const std::size_t first : {std::size_t{1} << 20, std::size_t{1} << 45, n}) {
      for (const std::size_t members : {std::size_t{1}, std::size_t{64}}) {
        const detail::Tiling tiling(n, first, n, members);
        const std::size_t tiles = tiling.tiles();
        ASSERT_GE(tiles, 1U);
        EXPECT_EQ(tiling[0].begin, 0U);
        EXPECT_EQ(tiling[tiles - 1].end, n);
        for (const std::size_t tile : {tiles - 1, tiles / 2, std::size_t{1}}) {
          if (tile == 0 || tile >= tiles) continue;
          EXPECT_EQ(tiling[tile].begin, tiling[tile - 1].end);
          EXPECT_LT(tiling[tile].begin, tiling[tile].end);
        }
      }
    }
  }
}

/// The elements of the first chunk of each call at one place, whose elements take `us`.
template <class Mark> std::vector<long> first_chunks(int calls, long n, int us, Mark) {
  std::vector<long> sizes;
  for (int call = 0; call < calls; ++call) {
    std::atomic<long> size{0};
    for_each_chunk(par().threads(2), 0L, n, [&](long begin, long end) {
      Mark::note();
      if (begin == 0) size = end;
      if (us > 0) std::this_thread::sleep_for(std::chrono::microseconds(us * (end - begin)));
    });
    sizes.push_back(size);
  }
  return sizes;
}
template <int k_number> struct Mark {
  static void note() {}
};

TEST(Alone, PlacesThatBecomeLongGetTeams) {
  // The same place: short, then long, then short.
  for (const int n : {10, 10, 10, 3000, 3000, 3000, 10, 10}) {
    std::vector<int> visits(static_cast<std::size_t>(n));
    for_each(par().threads(4), 0, n, [&](int i) {
      if (n > 10) busy(500);
      ++visits[static_cast<std::size_t>(i)];
    });
    for (const int count : visits) ASSERT_EQ(count, 1);
  }
}

TEST(Alone, CallsOfAKnownPlaceTakeOnePiece) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP()
      << "no element is cheap here: the first one alone takes longer than a call that is not worth a team";
#endif
  const auto sizes = first_chunks(2'000, 100, 0, Mark<2>{});
  EXPECT_EQ(*std::max_element(sizes.begin(), sizes.end()), 100);
  // Another function at the same place is a new loop, of which nothing is known.
  EXPECT_EQ(first_chunks(1, 100, 20, Mark<3>{}).front(), 1);
}

} // namespace
} // namespace wstree::algorithms_test
