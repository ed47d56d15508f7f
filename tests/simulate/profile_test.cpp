// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading what WSTREE_RECORD writes: the format, the writer's own output, and files that are none.
#include "joined_pieces.h"
#include "profile.h"
#include "recordings.h"
#include "statistics.h"

#include "usual.h"

namespace wstree::simulate {
namespace {

const std::string k_example = "wstree-profile 1\n"
                              "# a comment\n"
                              "library 0.1.0\n"
                              "program heat\n"
                              "loop 1\n"
                              "where heat.c:88 (step)\n"
                              "schedule wstree (dynamic)\n"
                              "iterations 10\n"
                              "executions 37\n"
                              "work 100.5\n"
                              "execution 1 members 2 elapsed 61.5 pieces 3\n"
                              "0 4 41.0 0\n"
                              "4 1 20.5 1\n"
                              "5 5 0.0 0\n"
                              "execution 2 members 2 elapsed 50 pieces 1\n"
                              "0 10 1e2 1\n"
                              "loop 2\n"
                              "where a b\n"
                              "schedule wsrange\n"
                              "iterations 1\n"
                              "executions 1\n"
                              "work 7000.0\n"
                              "execution 1 members 1 elapsed 7000.0 pieces 1\n"
                              "0 1 7000.0 0\n"
                              "end\n";

std::vector<RecordedLoop> loops_of(const std::string& text) {
  std::istringstream in(text);
  auto result = read_profile(in);
  if (const auto* problem = std::get_if<std::string>(&result)) {
    ADD_FAILURE() << *problem;
    return {};
  }
  return std::get<0>(std::move(result));
}

/// The example with `old` replaced.
std::string with(const std::string& old, const std::string& text) {
  std::string changed = k_example;
  const auto at = changed.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return changed.replace(at, old.size(), text);
}

TEST(profile, IsReadWithMostWorkFirst) {
  const auto loops = loops_of(k_example);
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(loops[0].name, "a b");
  EXPECT_EQ(loops[0].total_ns, 7'000);
  const RecordedLoop& loop = loops[1];
  EXPECT_EQ(loop.name, "heat.c:88 (step)");
  EXPECT_EQ(loop.schedule, "wstree (dynamic)");
  EXPECT_EQ(loop.iterations, 10U);
  EXPECT_EQ(loop.executions_seen, 37U);
  EXPECT_EQ(loop.total_ns, 100.5);
  ASSERT_EQ(loop.executions.size(), 2U);
  EXPECT_EQ(loop.executions[0].members, 2U);
  EXPECT_EQ(loop.executions[0].elapsed_ns, 61.5);
  ASSERT_EQ(loop.executions[0].pieces.size(), 3U);
  EXPECT_EQ(loop.executions[0].pieces[1].begin, 4U);
  EXPECT_EQ(loop.executions[0].pieces[1].end, 5U);
  EXPECT_EQ(loop.executions[0].pieces[1].ns, 20.5);
  EXPECT_EQ(loop.executions[1].pieces[0].ns, 100);
}

TEST(profile, SaysHowManyIterationsAreHandedOutAsAWhole) {
  EXPECT_EQ(loops_of(k_example)[1].chunk, 1U);
  EXPECT_EQ(loops_of(with("iterations 10\n", "iterations 10\nchunk 4\n"))[1].chunk, 4U);
}

TEST(profile, WhatTheLibraryWritesIsRead) {
  using namespace observe;
  std::string folder = testing::TempDir() + "/profile-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  forget_executions();
  forget_recordings();
  static const char place[] = ";heat.c;step;88;1;;";
  LoopSite& site = *find_site(place, place, "wsqueue");
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t number = record(site, {2, {1'000, 2, 0, 0, 6'000}, 4'000, 4'000});
    JoinedPieces pieces(3);
    pieces.add(0, 400, 400, 2'000, 0);
    pieces.add(401, 1'000, 599, 2'000, 1);
    pieces.add(400, 401, 1, 2'000, 0);
    if (is_kept(number)) keep(site, {number, 2, 4'000, 1'000, 1, 1'000}, pieces);
  }
  config::Options options;
  options.record_path.append(folder).append("/profile");
  write_recordings(options, core::tick_of(1, 2), "1");
  forget_executions();
  forget_recordings();
  std::ifstream file(folder + "/profile");
  std::ostringstream text;
  text << file.rdbuf();
  std::filesystem::remove_all(folder);

  const auto loops = loops_of(text.str());
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].name, "heat.c:88 (step)");
  EXPECT_EQ(loops[0].schedule, "wsqueue");
  EXPECT_EQ(loops[0].executions_seen, 20U);
  EXPECT_EQ(loops[0].total_ns, 20 * 3'000);
  ASSERT_EQ(loops[0].executions.size(), 9U);
  for (const auto& execution : loops[0].executions) {
    EXPECT_EQ(execution.elapsed_ns, 2'000);
    ASSERT_EQ(execution.pieces.size(), 3U);
    EXPECT_EQ(execution.pieces[1].begin, 400U);
    EXPECT_EQ(execution.pieces[1].end, 401U);
    EXPECT_EQ(execution.pieces[1].ns, 1'000);
  }
}

} // namespace
} // namespace wstree::simulate
