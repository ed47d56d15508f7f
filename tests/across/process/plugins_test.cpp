// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plugins that bring libgomp into a program that has no OpenMP of its own: under its name or another, next to
// libomp, bound deeply, closed and opened again. And libraries of gcc in programs of clang.
#include "expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace wstree::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int k_loops_of_a_use = 200; // 20 rounds of 5 regions with two schedule(runtime) loops each

using Plugins = std::vector<std::string>;

/// The sets of runtimes that are in the process at once.
std::vector<Plugins> sets_of_plugins() {
  std::vector<Plugins> sets{{"plugin_gcc.so"},
                            {"plugin_gcc.so", "plugin.so"},
                            {"plugin.so", "plugin_gcc.so"},
                            {"plugin_gcc.so", "plugin.so", "plugin_private.so"}};
#ifdef WSTREE_TEST_HAS_RENAMED
  sets.insert(sets.end(), {{"plugin_renamed.so"},
                           {"plugin_gcc.so", "plugin_renamed.so"},
                           {"plugin_renamed.so", "plugin_gcc.so"},
                           {"plugin.so", "plugin_renamed.so", "plugin_private.so", "plugin_gcc.so"}});
#endif
  return sets;
}

Program host(const Plugins& plugins, const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments = options;
  for (const std::string& each : plugins) arguments.push_back(program_path(each));
  Program program("host", arguments);
  program.set("KMP_DUPLICATE_LIB_OK", "TRUE"); // two libomps do not run natively without it
  return program;
}

Program& ask(Program& program) { return program.preload().set("OMP_SCHEDULE", "wstree"); }

class OpenedPlugins : public testing::TestWithParam<Plugins> {
protected:
  static int loops() { return static_cast<int>(GetParam().size()) * k_loops_of_a_use; }
};

TEST_P(OpenedPlugins, AreServedWhateverTheirRuntime) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, {"--together", "--start-in-turn"}}) {
    Program program = host(GetParam(), options);
    const Outcome native = program.run();
    ASSERT_TRUE(native.succeeded()) << native.text();
    const Outcome outcome = ask(program).run();
    std::string wanted;
    for (std::size_t i = 0; i < GetParam().size(); ++i) wanted += "schedule 0x77\n";
    EXPECT_EQ(outcome.out, wanted + "wrong 0\n") << outcome.text();
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_EQ(served_calls(program), loops());
  }
}

TEST_P(OpenedPlugins, MayBeClosedAndOpenedAgain) {
  Plugins twice = GetParam();
  twice.insert(twice.end(), GetParam().rbegin(), GetParam().rend());
  Program program = host(twice, {"--close"});
  // Natively that is a matter of luck: sleeping threads of the runtime are in code that is gone.
  const Outcome outcome = ask(program).run();
  EXPECT_THAT(outcome.out, testing::EndsWith("wrong 0\n")) << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_EQ(served_calls(program), 2 * loops());
}

TEST_P(OpenedPlugins, RunNativelyIfBoundDeeply) {
  Program program = host(GetParam(), {"--deep"});
  const Outcome native = program.run();
  ASSERT_TRUE(native.succeeded()) << native.text();
  const Outcome outcome = ask(program).run();
  EXPECT_THAT(outcome.out, HasSubstr("wrong 0\n")) << outcome.text();
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("0x77")));
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_EQ(served_calls(program), 0);
}

// Natively these are a matter of luck: threads of libgomp may be in code that is gone. With the library the
// runtime stays.
TEST(ClosedPlugins, GoUnlessFiguresOrRulesNameTheirCode) {
  Program program("opens", {"now", "look", program_path("initialiser_gcc.so")});
  program.preload();
  EXPECT_EQ(program.set("OMP_SCHEDULE", "dynamic,4").run().text(),
            "status 0, signal 0\nstdout:\nsum 999000\nend 1498500\ngone\nstderr:\n");
  EXPECT_THAT(program.set("OMP_SCHEDULE", "wstree").run().out, HasSubstr("gone\n"));
  EXPECT_THAT(Program(program).set("WSTREE_STATS", "1").run().out, HasSubstr("there\n"));
  EXPECT_THAT(Program(program).set("WSTREE_RULES", "* wstree").run().out, HasSubstr("there\n"));
}

/// Each of these is called for the last time by its destructor, and the next one may get its place in memory
/// and another runtime.
TEST(ClosedPlugins, TakeTurnsWithOtherRuntimes) {
  const std::string gcc = program_path("initialiser_gcc.so"), clang = program_path("initialiser_clang.so");
  Program program("opens", {"now", "close", clang, gcc, clang, gcc, clang});
  std::string wanted;
  for (int i = 0; i < 5; ++i) wanted += "sum 999000\nend 1498500\n";
  const Outcome outcome = program.preload().set("OMP_SCHEDULE", "dynamic,4").run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_EQ(outcome.out, wanted);
  EXPECT_THAT(outcome.err, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Loading, OpenedPlugins, testing::ValuesIn(sets_of_plugins()), [](const auto& each) {
  std::string name;
  for (const std::string& plugin : each.param) name += plugin.substr(0, plugin.find('.')) + "_";
  return name + "only";
});

/// The loader binds all that such a library calls to the runtime of the program. To hand some of it on to the
/// library's own runtime would divide its teams between two.
class TeamOfGcc : public testing::TestWithParam<const char*> {};

TEST_P(TeamOfGcc, IsWholeInAProgramOfClang) {
  Program program(GetParam());
  const Outcome native = program.set("OMP_SCHEDULE", "dynamic,8").run();
  ASSERT_EQ(native.out, "faults 0\n") << native.text();
  program.preload();
  for (const char* schedule : {"dynamic,8", "static", "wstree", "wsrange", "wsstatic"})
    EXPECT_EQ(program.set("OMP_SCHEDULE", schedule).run().text(), native.text()) << schedule;
}

/// Other threads open objects for all to see while plugins call for the first time.
TEST(Plugins, CallWhileTheListsOfObjectsGrow) {
  Program program("grows", {"60", program_path("jumping_gcc.so"), program_path("plugin_gcc.so")});
  program.preload();
  for (const char* schedule : {"dynamic,4", "wstree"})
    EXPECT_EQ(program.set("OMP_SCHEDULE", schedule).run().text(),
              "status 0, signal 0\nstdout:\nright 60 of 60\nstderr:\n")
        << schedule;
}

TEST(TeamOfGcc, IsServedInAProgramOfClang) {
  for (const char* name : {"team", "team_linked_behind"}) {
    Program program(name);
    EXPECT_EQ(served_calls(ask(program)), 40) << name; // 20 rounds of a loop of each compiler
  }
}

INSTANTIATE_TEST_SUITE_P(Loading, TeamOfGcc,
                         testing::Values("team", "team_linked_behind", "team_of_two_runtimes"));

} // namespace
