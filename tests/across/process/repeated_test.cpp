// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks that programs make small: of fibers, of signal handlers, of threads and of workers. And loops that
// are executed again: what the program computes does not depend on what is remembered of them, and nothing
// that is remembered keeps threads from helping each other.
#include "process.h"

namespace {

using namespace wstree::test;
using testing::IsEmpty;

using Settings = std::vector<std::pair<const char*, const char*>>;

/// The runtime: a build of libomp, or gcc's.
class SmallStack : public testing::TestWithParam<std::string> {
protected:
#ifdef WSTREE_TEST_NOT_OPTIMISED
  void SetUp() override { GTEST_SKIP() << "such code keeps all that it has on the stack"; }
#endif
  static Program program(const std::vector<std::string>& arguments) {
    if (GetParam() == "gcc") return Program("small_stack_gcc", arguments).set("OMP_SCHEDULE", "dynamic");
    Program made(GetParam() == default_libomp() ? "small_stack" : "small_stack_oldest", arguments);
    return made.libomp(GetParam()).set("OMP_SCHEDULE", "dynamic");
  }
  static Program served(const std::vector<std::string>& arguments, const Settings& settings) {
    Program made = program(arguments);
    made.preload().set("OMP_SCHEDULE", "wstree");
    for (const auto& [name, value] : settings) made.set(name, value);
    return made;
  }

  static long depth_of(const Program& program) {
    const Outcome outcome = program.run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    return std::stol("0" + fact(outcome.out, "depth"));
  }

  /// On a stack of `where`.
  static void expect_little_more(const std::string& where, const std::string& regions,
                                 const Settings& settings) {
    const std::vector<std::string> arguments{where, "0", regions};
    std::vector<std::string> until_decided = arguments;
    if (settings.empty()) until_decided.emplace_back("until-decided");
    const long native = depth_of(program(arguments));
    const long with = depth_of(served(until_decided, settings));
    const std::string what =
        where + ' ' + regions + (settings.empty() ? "" : std::string(" ") + settings[0].first);
    EXPECT_LE(with - native, k_more) << what << ": " << native << " without the library";
  }

  /// Bytes. It is most where a region shares more variables than registers hold.
  static constexpr long k_more = 2560;
};

INSTANTIATE_TEST_SUITE_P(Libomp, SmallStack, testing::ValuesIn(libomp_builds()));
INSTANTIATE_TEST_SUITE_P(Libgomp, SmallStack, testing::Values("gcc"));

TEST_P(SmallStack, OfAFiberOfTheFirstThread) {
  const TemporaryFolder folder;
  const std::string trace = folder / "trace";
  const std::string rules = folder / "rules";
  std::ofstream(rules) << "* wsrange\n";
  const Settings all[] = {
      {},
      {{"WSTREE_BIND", "none"}},
      {{"WSTREE_BIND", "close"}},
      {{"WSTREE_STATS", "1"}},
      {{"WSTREE_RULES", "* wsrange"}},
      {{"WSTREE_RULES", rules.c_str()}},
      {{"WSTREE_VERBOSE", "1"}, {"WSTREE_BIND", "close"}},
      {{"WSTREE_TRACE", trace.c_str()}},
      {{"WSTREE_RECORD", trace.c_str()}},
      {{"WSTREE_OMPT", "1"}},
      {{"WSTREE_BATCH", "nonsense"}, {"WSTREE_STRATEGY", "\x01\t"}},
      {{"OMP_DISPLAY_AFFINITY", "true"}, {"WSTREE_BIND", "close"}},
      {{"OMP_SCHEDULE", "wsguided"}},
  };
  for (const Settings& settings : all) expect_little_more("fiber", "runtime", settings);
}

TEST_P(SmallStack, OfAFiberForEachKindOfRegion) {
  expect_little_more("fiber", "dynamic", {{"WSTREE_LOOPS", "all"}});
  expect_little_more("fiber", "static", {{"WSTREE_LOOPS", "static"}});
  for (const char* regions : {"alone", "nested", "captured"}) {
    expect_little_more("fiber", regions, {});
    expect_little_more("fiber", regions, {{"WSTREE_BIND", "close"}});
  }
}

TEST_P(SmallStack, OfASignalHandlerAndOfAThread) {
  for (const char* where : {"handler", "thread"})
    for (const Settings& settings :
         {Settings{}, Settings{{"WSTREE_BIND", "close"}}, Settings{{"WSTREE_STATS", "1"}}})
      expect_little_more(where, "runtime", settings);
}

/// What the runtime can do on a stack of this size, it can do with the library.
TEST_P(SmallStack, OfEightKilobytes) {
  for (const auto& [regions, bind] : {std::pair{"runtime", "auto"},
                                      {"runtime", "close"},
                                      {"alone", "auto"},
                                      {"nested", "close"},
                                      {"captured", "close"},
                                      {"captured", "none"}}) {
    if (!program({"fiber", "8192", regions}).run().succeeded()) continue;
    const std::string waits = bind == std::string("auto") ? "until-decided" : "";
    const Outcome outcome = served({"fiber", "8192", regions, waits}, {{"WSTREE_BIND", bind}}).run();
    EXPECT_EQ(outcome.out, "wrong 0\n") << regions << ' ' << bind << '\n' << outcome.text();
  }
}

/// The reports are written where the process ends.
TEST_P(SmallStack, OnWhichTheProcessExits) {
  const std::vector<std::string> arguments{"fiber", "12288", "runtime", "exits"};
  const Outcome native = program(arguments).run();
  if (!native.succeeded()) GTEST_SKIP() << "the runtime needs more: " << native.text();
  const TemporaryFolder folder;
  const std::string names[] = {folder / "figures", folder / "trace", folder / "record"};
  const std::string stats = "json=" + names[0];
  const Outcome outcome = served(arguments, {{"WSTREE_STATS", stats.c_str()},
                                             {"WSTREE_TRACE", names[1].c_str()},
                                             {"WSTREE_RECORD", names[2].c_str()}})
                              .run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  for (const std::string& name : names) EXPECT_NE(contents_of(name), "") << name;
}

/// Workers that have variables of so many bytes, of a stack of 16 KB: eight of those are about all that they
/// have without the library where they find functions late.
TEST_P(SmallStack, OfWorkers) {
  const auto expect_like_native = [](const char* bytes, const char* bind_now) {
    const auto run = [bind_now](Program each) {
      return each.set("OMP_STACKSIZE", "16k").set("LD_BIND_NOW", bind_now).run();
    };
    const std::vector<std::string> arguments{"workers", bytes};
    if (!run(program(arguments)).succeeded()) return;
    EXPECT_EQ(run(program(arguments).preload()).text(), silent("wrong 0\n"));
    for (const std::string bind : {"auto", "close", "none"}) {
      if (!wide() && bind == "none") continue;
      const Outcome outcome = run(served(arguments, {{"WSTREE_BIND", bind.c_str()}}));
      EXPECT_EQ(outcome.out, "wrong 0\n") << bytes << ' ' << bind << '\n' << outcome.text();
    }
  };
  expect_like_native("9216", "1");
  for (int i = 0; i < (wide() ? 5 : 1); ++i) expect_like_native("8192", "");
}

TEST(Repeated, IsExecutedOnceEachTime) {
  for (const std::string name : {"repeated", "repeated_gcc"})
    for (const std::string how : {"regions", "inside", "places", "cancelled"})
      for (const char* history : {"on", "off"})
        for (const char* members : {"2", "4"}) {
          Program program = with_tree(name, {how});
          program.set("OMP_CANCELLATION", "true").set("OMP_NUM_THREADS", members);
          EXPECT_EQ(program.set("WSTREE_HISTORY", history).run().text(), silent("sum 399900000\nwrong 0\n"))
              << name << ' ' << how << ", " << members << " members, history " << history;
        }
}

/// A program under a tree that pins no thread, whose `threads` surprise it.
std::string surprised(const std::string& program, const std::string& way, int threads,
                      const std::string& loops = "runtime") {
  return with_tree(program, {way})
      .set("OMP_NUM_THREADS", std::to_string(threads))
      .set("WSTREE_BIND", "none")
      .set("WSTREE_LOOPS", loops)
      .set("GLIBC_TUNABLES", "glibc.malloc.arena_max=64:glibc.malloc.tcache_count=0")
      .run()
      .out;
}

TEST(Surprises, AreShared) {
  for (const char* program : {"surprising", "surprising_gcc"})
    for (const char* way : {"rare", "share", "two", "late"}) {
      const std::string out = surprised(program, way, 16);
      int worst = 0, sleeping = 0;
      ASSERT_EQ(std::sscanf(out.c_str(), "%d of %d", &worst, &sleeping), 2) << program << way << out;
      // A thread may come a few milliseconds late, and what sleeps is mostly in one node.
      EXPECT_LE(worst, 2 * ((sleeping + 15) / 16) + 2) << program << ' ' << way << " of " << sleeping;
    }
}

/// Cut parts cannot be shared, so that a thread may execute nearly all of a loop whose costs have changed:
/// once, or twice where it looks as if the thread had been interrupted. On a busy machine threads that sleep
/// wake late, and parts follow that. Where the code cannot be proven, as it uses the thread's number,
/// WSTREE_LOOPS=proven leaves such loops their equal parts.
TEST(StaticSurprises, LastForTwoExecutions) {
  for (const char* const loops : {"static", "proven"}) {
    const std::string out = surprised("surprising", "static", 8, loops);
    int worst = 0, sleeping = 0, at_first = 0;
    ASSERT_EQ(std::sscanf(out.c_str(), "%d of %d, at first %d", &worst, &sleeping, &at_first), 3) << out;
    const int fair = sleeping / 8;
    if (std::string_view(loops) == "proven") {
      EXPECT_EQ(at_first, fair);
      EXPECT_EQ(worst, fair);
    }
    EXPECT_LT(worst, sleeping - 7) << "the surprise lasts"; // the other threads have one each
  }
}

/// Pieces are shared from the first execution on. Behind light and even executions a loop is executed as
/// static does it, so that one dear execution is not shared, and the next ones are.
TEST(ProvenSurprises, LastForOneExecution) {
  for (const char* const program : {"surprising", "surprising_gcc"})
    for (const int threads : {4, 16}) {
      const std::string out = surprised(program, "plain", threads, "proven");
      int at_first = 0, after_light_ones = 0, later = 0;
      ASSERT_EQ(std::sscanf(out.c_str(), "%d %d %d", &at_first, &after_light_ones, &later), 3) << out;
      const int fair = 16 / threads;
      EXPECT_LE(at_first, 2 * fair + 2) << program << threads << out;
      EXPECT_LE(later, 2 * fair + 2) << program << threads << out;
    }
}

} // namespace
