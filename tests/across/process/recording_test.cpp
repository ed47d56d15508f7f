// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WSTREE_RECORD: profiles of programs whose loops are known, of both compilers on both runtimes.
#include "process.h"
#include "profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <vector>

namespace {

using namespace wstree::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using wstree::simulate::Piece;
using wstree::simulate::RecordedExecution;
using wstree::simulate::RecordedLoop;

std::vector<RecordedLoop> profile_in(const std::string& path) {
  std::istringstream in(contents_of(path));
  auto profile =
      wstree::simulate::read_profile(in); // also makes sure that pieces are sorted and cover the loop
  if (const auto* problem = std::get_if<std::string>(&profile)) {
    ADD_FAILURE() << *problem << '\n' << contents_of(path).substr(0, 2'000);
    return {};
  }
  return std::get<0>(std::move(profile));
}

/// Runs a loop of programs/recorded.cpp and reads its profile.
class Recording : public testing::TestWithParam<const char*> {
protected:
  Program program(const std::string& loop, int repetitions = 1) {
    return with_tree(GetParam(), {loop, std::to_string(repetitions)})
        .set("WSTREE_RECORD", folder_ / "profile");
  }
  std::vector<RecordedLoop> profile(const Program& program) {
    const Outcome outcome = program.run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    EXPECT_THAT(outcome.err, IsEmpty());
    out_ = outcome.out;
    return profile_in(folder_ / "profile");
  }

  TemporaryFolder folder_;
  std::string out_;
};

double ns_between(const RecordedExecution& execution, std::uint64_t begin, std::uint64_t end) {
  double sum = 0;
  for (const Piece& piece : execution.pieces) {
    const auto from = std::max(piece.begin, begin), to = std::min(piece.end, end);
    if (from < to)
      sum += piece.ns * static_cast<double>(to - from) / static_cast<double>(piece.end - piece.begin);
  }
  return sum;
}

/// What an interval took, each 50 iterations of it in the execution in which they were disturbed least: on a
/// busy machine no execution is undisturbed from its beginning to its end.
double least_ns_between(const RecordedLoop& loop, std::uint64_t begin, std::uint64_t end) {
  double sum = 0;
  for (std::uint64_t from = begin; from < end; from += 50) {
    const std::uint64_t to = std::min(from + 50, end);
    double least = ns_between(loop.executions.front(), from, to);
    for (const RecordedExecution& each : loop.executions) least = std::min(least, ns_between(each, from, to));
    sum += least;
  }
  return sum;
}

TEST_P(Recording, CostsAreWhereTheWorkIs) {
  constexpr int k_repetitions = 5;
  for (const char* loop : {"quarter", "wide"})
    for (const char* threads : {"1", "4"})
      for (const char* schedule : {"wstree", "wsqueue", "wsfixed,3", "wsstatic"}) {
        TemporaryFolder folder;
        const Outcome outcome = program(loop, k_repetitions)
                                    .set("WSTREE_HISTORY", "off")
                                    .set("OMP_NUM_THREADS", threads)
                                    .set("OMP_SCHEDULE", schedule)
                                    .set("WSTREE_RECORD", folder / "profile")
                                    .run();
        ASSERT_EQ(outcome.out, "done 10000\n") << outcome.text();
        const auto recorded = profile_in(folder / "profile");
        ASSERT_EQ(recorded.size(), 1U);
        const RecordedLoop& only = recorded[0];
        ASSERT_EQ(only.iterations, 2'000U);
        ASSERT_EQ(only.executions.size(), static_cast<std::size_t>(k_repetitions));
        // A thread that loses its CPU in a light iteration makes that a heavy one. Four threads that take 500
        // pieces from one counter take a tenth of a microsecond for each, which is a 20th of the heavy ones.
        const double heavy = least_ns_between(only, 1'000, 1'500);
        const double light = least_ns_between(only, 0, 950) + least_ns_between(only, 1'550, 2'000);
        EXPECT_GT(heavy, 10 * light) << loop << ' ' << threads << ' ' << schedule;
        double most_ns = 0;
        for (const RecordedExecution& each : only.executions) {
          EXPECT_EQ(std::to_string(each.members), threads);
          EXPECT_GT(each.pieces.size(), 160U) << loop << ' ' << threads << ' ' << schedule;
          most_ns += each.elapsed_ns * each.members;
        }
        EXPECT_LE(only.total_ns, most_ns * 1.01);
      }
}

TEST_P(Recording, LoopsWithoutABarrierBetweenThem) {
  const auto loops = profile(program("nowait", 3));
  EXPECT_EQ(out_, "done " + std::to_string(3 * (8 * 300 + 28)) + "\n");
  // Eight lengths at one place: of the 24 executions number 1 to 8 and 16 are kept.
  std::map<std::uint64_t, std::uint64_t> executions;
  std::uint64_t seen = 0;
  for (const auto& loop : loops) {
    executions[loop.iterations] += loop.executions.size();
    seen += loop.executions_seen;
  }
  std::uint64_t kept = 0;
  for (const auto& [iterations, count] : executions) kept += count;
  EXPECT_EQ(kept, 9U);
  EXPECT_EQ(seen, 24U);
}

TEST_P(Recording, ChunksOfALoopStayWhole) {
  const auto loops = profile(program("literal").set("WSTREE_LOOPS", "dynamic"));
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].iterations, 100U);
  EXPECT_EQ(loops[0].schedule, "wstree (dynamic)");
  EXPECT_EQ(loops[0].chunk, 7U);
  for (const Piece& piece : loops[0].executions.at(0).pieces) EXPECT_EQ(piece.begin % 7, 0U);
}

TEST_P(Recording, ACancelledLoopIsLeftOut) {
  const auto loops = profile(program("cancel", 3).set("OMP_CANCELLATION", "true"));
  std::map<std::uint64_t, std::size_t> kept;
  for (const auto& loop : loops) kept[loop.iterations] = loop.executions.size();
  EXPECT_EQ(kept[50], 3U);
}

std::vector<const char*> compiled_programs() {
  std::vector<const char*> programs{"recorded"};
#ifdef WSTREE_TEST_HAS_GCC
  programs.push_back("recorded_gcc");
#endif
  return programs;
}
INSTANTIATE_TEST_SUITE_P(Programs, Recording, testing::ValuesIn(compiled_programs()));

TEST(RecordingFile, IsNamedAsAskedForAndNeverOverwritten) {
  TemporaryFolder folder;
  const std::string asked = folder / "a/loops.0.%";
  const std::string taken =
      "wstree: WSTREE_RECORD wrote '" + asked + ".1', because '" + asked + "' was there already\n";
  for (int round = 0; round < 2; ++round) {
    const Outcome outcome = with_tree("loops").set("WSTREE_RECORD", folder / "a/%e.%r.%%").run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    EXPECT_EQ(outcome.err, round == 0 ? "" : taken);
    EXPECT_EQ(outcome.out, with_tree("loops").run().out);
  }
  for (const char* name : {"a/loops.0.%", "a/loops.0.%.1"}) {
    const auto loops = profile_in(folder / name);
    ASSERT_EQ(loops.size(), 1U) << name;
    EXPECT_EQ(loops[0].executions_seen, 10U);
    EXPECT_THAT(loops[0].name, HasSubstr("loops.cpp:"));
  }
}

TEST(RecordingFile, ThatCannotBeWrittenCostsOneLine) {
  const Outcome outcome =
      with_tree("loops", {"--status", "7"}).set("WSTREE_RECORD", "/proc/nonsense/profile").run();
  EXPECT_EQ(outcome.status, 7) << outcome.text();
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
  EXPECT_THAT(outcome.err, StartsWith("wstree: WSTREE_RECORD cannot write '/proc/nonsense/profile': "));
}

#ifdef WSTREE_TEST_HAS_GCC
#endif

} // namespace
