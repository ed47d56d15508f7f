// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profiles of executions: put together from what members recorded, kept, and written.
#include "support.h"

#include "joined_pieces.h"
#include "kept_execution.h"
#include "label.h"
#include "recordings.h"
#include "site_table.h"
#include "statistics.h"

namespace wstree::observe {

bool operator==(const JoinedPiece& a, const JoinedPiece& b) {
  return std::tie(a.begin, a.ticks, a.member) == std::tie(b.begin, b.ticks, b.member);
}
void PrintTo(const JoinedPiece& piece, std::ostream* out) {
  *out << '{' << piece.begin << ", " << piece.ticks << ", " << piece.member << '}';
}

} // namespace wstree::observe

namespace wstree::observe::recordings_test {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;

struct Recorded {
  std::uint64_t begin, end, count, ticks;
  std::uint32_t member = 0;
};

struct Joined {
  bool good;
  std::vector<JoinedPiece> pieces;
};

Joined join(const std::vector<Recorded>& pieces, std::uint64_t iterations, std::size_t most = 1'000'000) {
  JoinedPieces joined(pieces.size());
  EXPECT_TRUE(joined.is_ready());
  for (const auto& piece : pieces) joined.add(piece.begin, piece.end, piece.count, piece.ticks, piece.member);
  if (!joined.join(iterations)) return {false, {}};
  joined.coarsen(most);
  return {true, {joined.begin(), joined.end()}};
}

TEST(JoinedPieces, PutsMembersIntoOrder) {
  const auto joined = join({{4, 6, 2, 40, 1}, {0, 1, 1, 5, 1}, {1, 4, 3, 7, 0}, {6, 10, 4, 0, 2}}, 10);
  ASSERT_TRUE(joined.good);
  EXPECT_THAT(joined.pieces, ElementsAre(JoinedPiece{0, 5, 1}, JoinedPiece{1, 7, 0}, JoinedPiece{4, 40, 1},
                                         JoinedPiece{6, 0, 2}));
}

TEST(JoinedPieces, RefusesWhatIsNotEachIterationOnce) {
  EXPECT_TRUE(join({{0, 5, 5, 1}, {5, 10, 5, 1}}, 10).good);
  EXPECT_FALSE(join({{0, 5, 5, 1}}, 10).good) << "the end is missing";
  EXPECT_FALSE(join({{0, 5, 5, 1}, {6, 10, 4, 1}}, 10).good) << "a gap";
  EXPECT_FALSE(join({{1, 5, 4, 1}, {5, 10, 5, 1}}, 10).good) << "the first one is missing";
  EXPECT_FALSE(join({{0, 6, 6, 1}, {5, 9, 4, 1}}, 10).good) << "one twice, one not at all";
  EXPECT_FALSE(join({{0, 6, 6, 1}, {5, 10, 5, 1}}, 10).good) << "one twice";
  EXPECT_FALSE(join({{0, 6, 5, 1}, {7, 12, 5, 1}}, 10).good) << "spans beyond the end";
  EXPECT_FALSE(join({{0, 3, 2, 1}, {4, 10, 6, 1}, {8, 10, 2, 1}}, 10).good) << "spans with a gap";
  EXPECT_FALSE(join({}, 10).good);
  EXPECT_FALSE(join({}, 0).good);
}

TEST(JoinedPieces, SpreadsSpansOverWhatTheySpan) {
  // Two members took every other iteration; a third one had a single expensive one in between.
  const auto joined = join({{0, 8, 4, 80, 0}, {1, 10, 5, 90, 1}, {4, 5, 1, 1'000, 2}}, 10);
  ASSERT_TRUE(joined.good);
  EXPECT_THAT(joined.pieces,
              ElementsAre(JoinedPiece{0, 10, 0}, JoinedPiece{1, 60, 1}, JoinedPiece{4, 1'020, 2},
                          JoinedPiece{5, 60, 2}, JoinedPiece{8, 20, 0}));
}

TEST(JoinedPieces, KeepsExpensiveOnesApartWhenItGetsCoarser) {
  std::vector<Recorded> pieces;
  for (std::uint64_t i = 0; i < 10'000; ++i) pieces.push_back({i, i + 1, 1, i == 5'000 ? 1'000'000U : 10U});
  const auto joined = join(pieces, 10'000, 100);
  ASSERT_TRUE(joined.good);
  EXPECT_LE(joined.pieces.size(), 100U);
  EXPECT_GE(joined.pieces.size(), 3U);
  std::uint64_t sum = 0;
  for (const auto& piece : joined.pieces) sum += piece.ticks;
  EXPECT_EQ(sum, 1'000'000U + 9'999 * 10);
  EXPECT_THAT(joined.pieces, testing::Contains(JoinedPiece{5'000, 1'000'000, 0}));
}

const void* address(std::uintptr_t number) { return reinterpret_cast<const void*>(number); }

config::Options to_file(const std::string& path) {
  config::Options options;
  options.record_path.append(path);
  return options;
}

class Recordings : public testing::Test {
protected:
  void SetUp() override { forget(); }
  void TearDown() override { forget(); }
  static void forget() {
    forget_executions();
    forget_recordings();
  }

  /// One more execution of a loop, which takes `ticks` in each unit.
  static void execute(LoopSite& site, std::uint64_t units, std::uint64_t ticks, std::uint64_t unit = 1,
                      std::uint64_t iterations = 0) {
    const std::uint64_t number =
        record(site, {2, {units, 2, 0, 0, units * ticks}, units * ticks / 2, units * ticks});
    if (!is_kept(number)) return;
    JoinedPieces pieces(2);
    const std::uint64_t half = units / 2;
    if (half != 0) pieces.add(0, half, half, half * ticks, 0);
    pieces.add(half, units, units - half, (units - half) * ticks, 1);
    keep(site, {number, 2, units * ticks, units, unit, iterations != 0 ? iterations : units * unit}, pieces);
  }
  static std::size_t profiles_of(const LoopSite& site) {
    std::size_t count = 0;
    for (const Profile* p = site.profiles(); p != nullptr; p = p->next) ++count;
    return count;
  }
};

constexpr std::string_view k_schedule = "wstree";

TEST_F(Recordings, AFileOfKnownLoops) {
  const TemporaryFolder folder;
  static const char place[] = ";heat.c;step;88;1;;";
  LoopSite& site = *find_site(address(0x5000), place, k_schedule);
  execute(site, 4, 10);
  execute(site, 3, 100, 10, 25); // dynamic,10 of 25 iterations
  const auto options = to_file(folder / "profile");
  write_recordings(options, core::tick_of(1, 2), "9.9");
  const std::string text = content_of(folder / "profile");
  EXPECT_THAT(text, testing::StartsWith("wstree-profile 1\n#"));
  EXPECT_THAT(text,
              HasSubstr("library 9.9\nprogram observe_test\nloop 1\nwhere heat.c:88 (step)\nschedule wstree\n"
                        "iterations 4\nexecutions 1\nwork 20.0\n"
                        "execution 1 members 2 elapsed 20.0 pieces 2\n0 2 10.0 0\n2 2 10.0 1\n"
                        "loop 2\nwhere heat.c:88 (step)\nschedule wstree\n"
                        "iterations 25\nchunk 10\nexecutions 1\nwork 150.0\n"
                        "execution 2 members 2 elapsed 150.0 pieces 2\n0 10 50.0 0\n10 15 100.0 1\nend\n"));
}

TEST_F(Recordings, AProfileStandsForTheExecutionsThatWereNotKept) {
  const TemporaryFolder folder;
  LoopSite& site = *find_site(address(0x5010), nullptr, k_schedule);
  for (int i = 0; i < 30; ++i) execute(site, 4, i < 8 ? 10 : 1'000);
  EXPECT_EQ(profiles_of(site), 9U); // 1 to 8 and 16
  write_recordings(to_file(folder / "profile"), core::tick_of(1, 1), "0");
  const std::string text = content_of(folder / "profile");
  EXPECT_THAT(text, HasSubstr("executions 30\nwork 88320.0\n")); // 8 * 40 + 22 * 4000
  EXPECT_THAT(text, HasSubstr("execution 16 members 2 elapsed 4000.0 pieces 2\n0 2 2000.0 0\n"));
}

TEST_F(Recordings, MemoryIsBoundedAndLaterProfilesAreCoarser) {
  // Each has nearly as many pieces as may be kept, so that memory is short soon.
  std::size_t bytes = 0;
  std::size_t first = 0, latest = 0;
  for (std::uintptr_t i = 0; i < 180; ++i) {
    LoopSite& site = *find_site(address(0x6000 + 16 * i), nullptr, k_schedule);
    constexpr std::uint64_t k_pieces = 16'000;
    JoinedPieces pieces(k_pieces);
    for (std::uint64_t k = 0; k < k_pieces; ++k) pieces.add(k, k + 1, 1, 10, 0);
    const std::uint64_t number = record(site, {1, {k_pieces, 1, 0, 0, 1}, 1, 1});
    keep(site, {number, 1, 1, k_pieces, 1, k_pieces}, pieces);
    if (const Profile* kept = site.profiles()) {
      bytes += Profile::bytes(kept->size);
      latest = kept->size;
      if (first == 0) first = kept->size;
    }
  }
  EXPECT_GT(first, k_most_kept_pieces / 4);
  EXPECT_LE(first, k_most_kept_pieces);
  EXPECT_LT(latest, first);
  EXPECT_GE(latest, 16U);
  EXPECT_LE(bytes, k_most_profile_bytes);
  forget();
  LoopSite& again = *find_site(address(0x6000), nullptr, k_schedule);
  EXPECT_EQ(again.profiles(), nullptr);
  execute(again, 4, 1);
  EXPECT_EQ(profiles_of(again), 1U);
}

TEST_F(Recordings, ProfilesFromManyThreads) {
  LoopSite& site = *find_site(address(0x5030), nullptr, k_schedule);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&site] {
      for (int i = 0; i < 200; ++i) {
        JoinedPieces pieces(1);
        pieces.add(0, 7, 7, 70, 3);
        keep(site, {1, 4, 10, 7, 1, 7}, pieces);
        for (const Profile* p = site.profiles(); p != nullptr; p = p->next) {
          ASSERT_EQ(p->size, 1U);
          ASSERT_EQ(p->pieces()[0], (JoinedPiece{0, 70, 3}));
        }
      }
    });
  threads.clear();
  EXPECT_EQ(profiles_of(site), 800U);
}

TEST(Labels, SameTextFromManyThreadsIsOneLabel) {
  constexpr int k_texts = 100;
  std::vector<std::vector<const Label*>> found(4, std::vector<const Label*>(k_texts));
  std::vector<std::thread> threads;
  for (auto& own : found)
    threads.emplace_back([&own] {
      for (int i = 0; i < k_texts; ++i) {
        const std::string text = "label " + std::to_string(i);
        own[static_cast<std::size_t>(i)] = find_label(text);
        ASSERT_EQ(own[static_cast<std::size_t>(i)]->view(), text);
      }
    });
  for (auto& thread : threads) thread.join();
  for (const auto& own : found) EXPECT_EQ(own, found[0]);
}

TEST(LabelsDeathTest, ThereIsAnEnd) {
  // In a process of its own: the table has no way back.
  EXPECT_EXIT(
      {
        std::uint32_t made = 0;
        while (find_label("text " + std::to_string(made)) != nullptr) ++made;
        const bool keeps_the_old = find_label("text 0") != nullptr;
        std::exit(made <= k_most_labels && made + 200 > k_most_labels && keeps_the_old ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace wstree::observe::recordings_test
