// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plugins that bring runtimes into a program: under their names or others, beside another runtime, bound
// deeply, closed and opened again; libraries of gcc in programs of clang. Where both runtimes are there, each
// call reaches the runtime that it reaches without the library, idle and served: every cell of that matrix is
// one program that runs three times and has to print the same.
#include "both_runtimes.h"

namespace {

using namespace wstree::test;
using testing::HasSubstr;
using testing::IsEmpty;

using Plugins = std::vector<std::string>;

/// 20 rounds of 5 regions with two schedule(runtime) loops each.
int loops_of(const Plugins& plugins) { return static_cast<int>(plugins.size()) * 200; }

/// The sets of runtimes that are in the process at once.
std::vector<Plugins> sets_of_plugins() {
  std::vector<Plugins> sets{{"plugin.so"},
                            {"plugin_gcc.so"},
                            {"plugin.so", "plugin_private.so"},
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

TEST(OpenedPlugins, AreServedWhateverTheirRuntimeUnlessBoundDeeply) {
  for (const Plugins& plugins : sets_of_plugins())
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{}, {"--together", "--start-in-turn"}, {"--deep"}}) {
      SCOPED_TRACE(testing::PrintToString(options) + testing::PrintToString(plugins));
      Program program = host(plugins, options);
      const Outcome native = program.set("OMP_SCHEDULE", "dynamic,4").run();
      ASSERT_TRUE(native.succeeded()) << native.text();
      EXPECT_EQ(program.preload().run().text(), native.text());
      const Outcome outcome = ask(program).run();
      const bool is_deep = options == std::vector<std::string>{"--deep"};
      std::string wanted;
      for (std::size_t i = 0; i < plugins.size() && !is_deep; ++i) wanted += "schedule 0x77\n";
      EXPECT_EQ(outcome.out.find("0x77") == std::string::npos, is_deep);
      EXPECT_THAT(outcome.out, testing::AllOf(testing::StartsWith(wanted), testing::EndsWith("wrong 0\n")));
      EXPECT_THAT(outcome.err, IsEmpty());
      EXPECT_EQ(served_calls(program), is_deep ? 0 : loops_of(plugins));
    }
}

TEST(OpenedPlugins, MayBeClosedAndOpenedAgain) {
  for (const Plugins& plugins : sets_of_plugins()) {
    Plugins twice = plugins;
    twice.insert(twice.end(), plugins.rbegin(), plugins.rend());
    Program program = host(twice, {"--close"});
    // Natively that is a matter of luck: sleeping threads of the runtime are in code that is gone.
    const Outcome outcome = ask(program).run();
    EXPECT_THAT(outcome.out, testing::EndsWith("wrong 0\n")) << outcome.text();
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_EQ(served_calls(program), 2 * loops_of(plugins)) << testing::PrintToString(plugins);
  }
}

// Natively these are a matter of luck: threads of libgomp may be in code that is gone. With the library the
// runtime stays.
TEST(ClosedPlugins, GoUnlessFiguresOrRulesNameTheirCode) {
  Program program("opens", {"now", "look", program_path("initialiser_gcc.so")});
  program.preload();
  EXPECT_EQ(program.set("OMP_SCHEDULE", "dynamic,4").run().text(), silent("sum 999000\nend 1498500\ngone\n"));
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
  EXPECT_EQ(program.preload().set("OMP_SCHEDULE", "dynamic,4").run().text(), silent(wanted));
}

/// The loader binds all that such a library calls to the runtime of the program. To hand some of it on to the
/// library's own runtime would divide its teams between two.
TEST(TeamOfGcc, IsWholeInAProgramOfClang) {
  for (const std::string name : {"team", "team_linked_behind", "team_of_two_runtimes"}) {
    Program program(name);
    const Outcome native = program.set("OMP_SCHEDULE", "dynamic,8").run();
    ASSERT_EQ(native.out, "faults 0\n") << native.text();
    program.preload();
    for (const char* schedule : {"dynamic,8", "static", "wstree", "wsrange", "wsstatic"})
      EXPECT_EQ(program.set("OMP_SCHEDULE", schedule).run().text(), native.text()) << name << schedule;
    if (name == "team_of_two_runtimes") continue;
    EXPECT_EQ(served_calls(ask(program)), 40) << name; // 20 rounds of a loop of each compiler
  }
}

/// Other threads open objects for all to see while plugins call for the first time.
TEST(Plugins, CallWhileTheListsOfObjectsGrow) {
  Program program("grows", {"60", program_path("jumping_gcc.so"), program_path("plugin_gcc.so")});
  program.preload();
  for (const char* schedule : {"dynamic,4", "wstree"})
    EXPECT_EQ(program.set("OMP_SCHEDULE", schedule).run().text(), silent("right 60 of 60\n")) << schedule;
}

using Words = std::vector<std::string>;

const Words k_hosts{"jumping_host", "jumping_host_gcc", "jumping_host_clang"};
/// In the order in which they are opened.
const std::vector<Words> k_plugins{{"gcc"},
                                   {"clang"},
                                   {"gcc", "clang"},
                                   {"clang", "gcc"},
                                   {"iomp", "gcc"},
                                   {"gcc", "iomp"},
                                   {"early_gcc", "clang"},
                                   {"early_clang", "gcc"},
                                   {"iomp", "clang", "early_gcc"}};
/// How: now and for themselves, unless a word says otherwise.
const Words k_ways{"", "lazy", "global", "lazy,global", "deep", "new"};
/// The objects that the program has opened before.
const std::vector<Words> k_before{{},
                                  {"runtime,global:libgomp.so.1"},
                                  {"runtime,global:libomp.so.5"},
                                  {"runtime:libgomp.so.1", "runtime:libomp.so.5"}};

Program cell(const std::string& host, unsigned seed, const Words& before, const Words& plugins,
             const std::string& way) {
  Words arguments{std::to_string(seed)};
  arguments.insert(arguments.end(), before.begin(), before.end());
  for (const std::string& each : plugins)
    arguments.push_back(way + ":" + program_path("jumping_" + each + ".so"));
  Program program(host, arguments);
  program.set("KMP_DUPLICATE_LIB_OK", "TRUE"); // two libomps do not run natively without it
  return program;
}

void expect_equal(Program program, const std::string& what) {
  EXPECT_EQ(difference_with_library(std::move(program)), "") << what;
}

/// Each way with each host and with each set of plugins, a third of them by default; of the objects opened
/// before, one for each.
TEST(BothRuntimes, GetTheirOwnCalls) {
  for (std::size_t host = 0; host < k_hosts.size(); ++host)
    for (std::size_t plugins = 0; plugins < k_plugins.size(); ++plugins)
      for (std::size_t way = 0; way < k_ways.size(); ++way) {
        if (!wide() && (way + host + plugins) % 3 != 0) continue;
        const Words& before = k_before[(way + host + plugins) % k_before.size()];
        const auto seed = static_cast<unsigned>(host * 100 + plugins + way);
        expect_equal(cell(k_hosts[host], seed, before, k_plugins[plugins], k_ways[way]),
                     k_hosts[host] + ' ' + testing::PrintToString(k_plugins[plugins]) + ' ' + k_ways[way] +
                         ' ' + testing::PrintToString(before));
      }
}

/// The program opens both before it calls one, so that any function may be the first one.
TEST(BothRuntimes, GetTheirOwnFirstCalls) {
  for (const std::string way : {"untouched", "untouched,lazy"})
    for (unsigned seed = 1; seed <= (wide() ? 20 : 5); ++seed)
      expect_equal(cell("jumping_host", seed, {}, {"gcc", "clang"}, way), way + ' ' + std::to_string(seed));
}

/// A callback of ctypes or cffi calls from code of libffi, which has no OpenMP.
TEST(BothRuntimes, GetTheirOwnCallsFromPython) {
  if (std::string_view(WSTREE_TEST_PYTHON).empty()) GTEST_SKIP() << "there is no Python";
  const std::string script = "import ctypes, sys\n"
                             "for path in sys.argv[1:]:\n"
                             "  code = ctypes.CDLL(path)\n"
                             "  code.seen.restype = ctypes.c_char_p\n"
                             "  call = ctypes.CFUNCTYPE(None)\n"
                             "  for name in ['set', 'orphan', 'region', 'method', 'get', 'tasks', 'procs']:\n"
                             "    getattr(code, name)()\n"
                             "    call(getattr(code, name))()\n"
                             "  print(code.seen().decode())\n";
  for (const Words& plugins : {Words{"gcc"}, {"clang"}, {"gcc", "clang"}, {"iomp", "gcc"}}) {
    if (!wide() && plugins.size() == 1) continue;
    Words arguments{"-c", script};
    for (const std::string& each : plugins) arguments.push_back(program_path("jumping_" + each + ".so"));
    Program program(WSTREE_TEST_PYTHON, arguments);
    program.set("KMP_DUPLICATE_LIB_OK", "TRUE");
    expect_equal(program, testing::PrintToString(plugins));
  }
}

/// Without a runtime a program that tests weak references takes its serial path, as without the library.
TEST(BothRuntimes, MayBeMissing) {
  Program program("weak");
  const Outcome native = program.run();
  EXPECT_EQ(native.out, "serial serial serial serial serial\n") << native.text();
  EXPECT_EQ(program.preload().run().text(), native.text());
  EXPECT_EQ(program.set("OMP_SCHEDULE", "wstree").run().text(), native.text());
}

} // namespace
