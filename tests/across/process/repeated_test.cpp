// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks that programs make small: of fibers, of signal handlers, of threads and of workers.
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace wstree::test;
using Settings = std::vector<std::pair<const char*, const char*>>;

/// What each runtime's test is called, and where that runtime is: the build of libomp, or gcc's.
class SmallStack : public testing::TestWithParam<std::string> {
protected:
#ifdef WSTREE_TEST_NOT_OPTIMISED
  void SetUp() override { GTEST_SKIP() << "such code keeps all that it has on the stack"; }
#endif
  static Program program(const std::vector<std::string>& arguments) {
    const bool is_gcc = GetParam() == "gcc";
    const bool is_newest = GetParam() == default_libomp();
    Program made(is_gcc ? "small_stack_gcc" : is_newest ? "small_stack" : "small_stack_oldest", arguments);
    if (!is_gcc) made.libomp(GetParam());
    return made.set("OMP_SCHEDULE", "dynamic");
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
    RecordProperty(what + " native", std::to_string(native));
    RecordProperty(what + " served", std::to_string(with));
    EXPECT_LE(with - native, k_more) << what;
  }

  /// Bytes. It is most where a region shares more variables than registers hold.
  static constexpr long k_more = 2560;
};

std::vector<std::string> runtimes() {
  std::vector<std::string> all = libomp_builds();
  all.emplace_back("gcc");
  return all;
}

std::string name_of_runtime(const testing::TestParamInfo<std::string>& each) {
  std::string name = each.param == "gcc" ? "libgomp" : "libomp" + each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Process, SmallStack, testing::ValuesIn(runtimes()), name_of_runtime);

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
    const std::vector<std::string> arguments{"fiber", "8192", regions, "until-decided"};
    if (!program(arguments).run().succeeded()) continue;
    const Outcome outcome = served(arguments, {{"WSTREE_BIND", bind}}).run();
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
    EXPECT_EQ(run(program(arguments).preload()).text(), "status 0, signal 0\nstdout:\nwrong 0\nstderr:\n");
    for (const char* bind : {"auto", "close", "none"}) {
      const Outcome outcome = run(served(arguments, {{"WSTREE_BIND", bind}}));
      EXPECT_EQ(outcome.out, "wrong 0\n") << bytes << ' ' << bind << '\n' << outcome.text();
    }
  };
  expect_like_native("9216", "1");
  for (int i = 0; i < 10; ++i) expect_like_native("8192", "");
}

} // namespace
