// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wstree rules, what rules match in a program of gcc; and what symbols and mappings say about loops and
// OpenMP runtimes.
#include "command.h"

#include "doctor/bindings.h"
#include "doctor/mapped_watch.h"
#include "doctor/served_loops.h"
#include "inspect/loop_forms.h"
#include "inspect/openmp_runtime.h"
#include "process_limits.h"
#include "support/launch.h"

namespace wstree::test {
namespace {

using cli::can_be_served;
using cli::leaves_out;
using cli::loop_form;
using cli::LoopForm;
using cli::LoopForms;
using cli::OpenMpRuntime;
using config::LoopKinds;

class RulesCommand : public testing::Test {
protected:
  RulesCommand() {
    folder_.write("solver.c", R"(#include <stdio.h>
static double v[100];
void first(void) {
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < 100; ++i) v[i] += i;
}
int main(void) {
  first();
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 100; ++i) v[i] += i;
  printf("%g\n", v[3]);
}
)");
    built_ = compile();
  }
  bool compile() const {
    return std::system(("gcc -g -O1 -fopenmp " + program_ + ".c -o " + program_).c_str()) == 0;
  }
  void SetUp() override {
#ifndef __x86_64__
    GTEST_SKIP() << "reads the calls of x86-64";
#endif
    if (!built_) GTEST_SKIP() << "needs gcc with OpenMP";
  }
  Result rules(Arguments arguments) const {
    arguments.insert(arguments.begin(), "rules");
    arguments.push_back(program_);
    return run({.arguments = std::move(arguments)});
  }
  Result rules_of_variable(const std::string& value) const {
    Start start{.arguments = {"rules", program_}};
    start.environment["WSTREE_RULES"] = value;
    return run(start);
  }
  /// Of a check of these rules.
  std::string told(const std::string& of) const { return rules({"--check", of}).out; }

  TemporaryFolder folder_;
  const std::string program_ = folder_ / "solver";
  bool built_ = false;
};

TEST_F(RulesCommand, ListsPlacesAndWhatEachRuleMatches) {
  const auto listed = rules({});
  EXPECT_EQ(listed.status(), 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("first()  GOMP_parallel_loop_maybe_nonmonotonic_runtime"));
  EXPECT_THAT(listed.out, HasSubstr("GOMP_parallel_loop_nonmonotonic_dynamic"));
  const auto checked = rules({"--check", "solver.c:3-5 wsrange; fir* off"});
  EXPECT_EQ(checked.status(), 0) << checked.out << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("first()"));
  EXPECT_THAT(checked.out, Not(HasSubstr("dynamic")));
  const auto labelled = rules({"--check", "label:assembly off; * wsrange"});
  EXPECT_EQ(labelled.status(), 0);
  EXPECT_THAT(labelled.out, HasSubstr("rule 1: label:assembly off\n  cannot be checked: only the running "
                                      "program knows its labels\nrule 2: * wsrange\n"));
}

TEST_F(RulesCommand, SaysThatTheLineOfAPragmaIsThatOfTheRegion) {
  folder_.write("solver.c",
                "static double v[100];\nint main(int n, char** words) {\n#pragma omp parallel for \\\n"
                "    schedule(nonmonotonic : dynamic)\n  for (int i = 0; i < n; ++i)\n"
                "    v[i] += words != 0;\n}\n");
  ASSERT_TRUE(compile());
  const auto listed = rules({}).out;
  EXPECT_THAT(listed, HasSubstr("solver.c:3 main()  GOMP_parallel "));
  EXPECT_THAT(told("solver.c:3 wstree"), HasSubstr("a region; its loop has line 5: write solver.c:3-5\n"));
  EXPECT_THAT(run({.arguments = {"run", "--rules", "solver.c:3 wstree", "--", program_}}).err,
              HasSubstr("rule 1 of --rules matches no loop: that is a region"));
  for (const auto* good : {"solver.c:3-5 wstree", "solver.c:5 wstree", "solver.c:3 threads=2"})
    EXPECT_THAT(told(good), Not(HasSubstr("matches no loop"))) << good;
}

TEST_F(RulesCommand, SaysWhyARuleMatchesNothing) {
  const auto far = rules({"--check", "solver.c:300 off"});
  EXPECT_EQ(far.status(), 1);
  EXPECT_THAT(far.out, HasSubstr("matches nothing: the nearest loop of that file is in line "));
  EXPECT_THAT(told("other.c:3 off"), HasSubstr("no loop is in a file 'other.c'"));
  EXPECT_THAT(told("app:heat off"), HasSubstr("the program is called 'solver'"));
}

TEST_F(RulesCommand, SaysWhatIsNotUnderstood) {
  const auto bad = rules({"--check", "* off; * wstre"});
  EXPECT_EQ(bad.status(), 125);
  EXPECT_THAT(bad.out,
              HasSubstr("rule 2: * wstre\n  is not understood: 'wstre' is neither a schedule of the "));
  for (const auto& [rule, meant] : {std::pair{"* wstre", "wstree"},
                                    {"* wsguide,8", "wsguided"},
                                    {"* monotonic:wsstaic", "wsstatic"},
                                    {"* of", "off"},
                                    {"* thread=4", "threads="},
                                    {"* loops=runtime,dynamc", "dynamic"},
                                    {"* history=onn", "on"},
                                    {"* bind=spred", "spread"}})
    EXPECT_THAT(told(rule), HasSubstr("; did you mean " + std::string(meant) + "?\n"));
  for (const auto* rule : {"* sections", "* wstree,0", "* threads=x", "a.c:1 bind=none", "a.c:1 ; * off"})
    EXPECT_THAT(told(rule), Not(HasSubstr("did you mean"))) << rule;
  EXPECT_THAT(rules_of_variable("* off; * wstre").out, HasSubstr("rule 2 of WSTREE_RULES: * wstre\n"));
  const auto file = folder_.write("of.rules", "# none\n* off\n  * wstre\n");
  EXPECT_THAT(told(file), HasSubstr(file + ":3: * wstre\n  is not understood: "));
}

TEST_F(RulesCommand, NamesWhatCannotBeRead) {
  const std::string missing =
      "'of.rules' cannot be read: No such file or directory; instead of a file, rules "
      "look like \"* wsrange\"\n";
  expect_refused(rules({"--rules", "of.rules"}), missing);
  expect_refused(rules_of_variable("of.rules"), "WSTREE_RULES: " + missing);
  expect_refused(run({.arguments = {"run", "--rules", "of.rules", program_}}), "--rules " + missing);
  EXPECT_THAT(rules({"--check", folder_.path().string()}).err, HasSubstr("cannot be read: it is a folder; "));
  for (const std::string endless : {"/dev/zero", "/dev/full"})
    expect_refused(rules({"--check", endless}),
                   "'" + endless + "' cannot be read: it has no end within 4194304 ");
  EXPECT_EQ(rules({"--check", "/dev/null"}).status(), 0);
}

TEST_F(RulesCommand, RunSaysWhichRulesMatchNothing) {
  const auto said = [&](Arguments arguments) {
    arguments.insert(arguments.begin(), "run");
    arguments.push_back(program_);
    return run({.arguments = std::move(arguments)}).err;
  };
  EXPECT_THAT(
      said({"--rules", "* off; solver.c:30-40 wstree"}),
      HasSubstr("wstree: rule 2 of --rules matches nothing: the nearest loop of that file is in line "));
  EXPECT_THAT(said({"--rules", "* off; solver.c:3-5 wstree"}), Not(HasSubstr("matches nothing")));
  const std::string others = "* off; other.c:3 wstree; label:x off";
  EXPECT_THAT(said({"--rules", others}), Not(HasSubstr("matches nothing")))
      << "it may be for another program";
  const auto all = said({"--verbose", "--rules", others});
  EXPECT_THAT(all, HasSubstr("rule 2 of --rules matches nothing: no loop is in a file 'other.c'\n"));
  EXPECT_THAT(all, Not(HasSubstr("rule 3")));
}

TEST_F(RulesCommand, ResolvesLinesBehindTheRulesThatNameThem) {
  const auto resolved = rules({"--resolved", "--check", "* wstree; solver.c:3-5 off # why"});
  EXPECT_THAT(resolved.out,
              testing::MatchesRegex("\\* wstree\n solver.c:3-5 off # why\n([0-9a-f]+\\+0x[0-9a-f]+ off\n)+"));
}

TEST(LoopForm, IsKnownByTheEntryThatIsCalled) {
  const auto expect = [](std::optional<LoopForm> form, const Arguments& names) {
    for (const auto& name : names) EXPECT_EQ(loop_form(name), form) << name;
  };
  expect(LoopForm::hidden,
         {"__kmpc_dispatch_init_4", "__kmpc_dispatch_init_8u", "__kmpc_dist_dispatch_init_4u"});
  expect(LoopForm::fixed, {"__kmpc_for_static_init_8"});
  expect(LoopForm::ordered, {"__kmpc_ordered", "GOMP_loop_ordered_start"});
  expect(LoopForm::doacross, {"__kmpc_doacross_init", "GOMP_loop_doacross_start"});
  expect(LoopForm::call, {"wstree_call_begin"});
  expect(LoopForm::reduction, {"GOMP_loop_start", "GOMP_loop_ull_start"});
  expect({}, {"__kmpc_dispatch_next_4", "__kmpc_fork_call", "__kmpc_end_ordered", "__kmpc_barrier",
              "GOMP_loop_end", "GOMP_loop_end_nowait", "GOMP_loop_end_cancel", "GOMP_parallel", "GOMP_task",
              "GOMP_sections_start", "GOMP_parallel_loop_", "GOMP_loop_"});
  const std::pair<std::string, LoopForm> of_gcc[] = {{"maybe_nonmonotonic_runtime", LoopForm::runtime},
                                                     {"nonmonotonic_runtime", LoopForm::runtime},
                                                     {"nonmonotonic_dynamic", LoopForm::dynamic},
                                                     {"nonmonotonic_guided", LoopForm::guided},
                                                     {"runtime", LoopForm::monotonic},
                                                     {"dynamic", LoopForm::monotonic},
                                                     {"guided", LoopForm::monotonic},
                                                     {"static", LoopForm::fixed}};
  for (const auto& [name, form] : of_gcc) {
    expect(form, {"GOMP_loop_" + name + "_start", "GOMP_loop_ull_" + name + "_start",
                  "GOMP_parallel_loop_" + name});
    expect({}, {"GOMP_loop_" + name + "_next"});
    if (name.find("nonmonotonic") != name.npos) continue;
    expect(LoopForm::ordered, {"GOMP_loop_ordered_" + name + "_start"});
    expect(LoopForm::doacross, {"GOMP_loop_ull_doacross_" + name + "_start"});
    EXPECT_TRUE(loop_form("GOMP_parallel_loop_" + name + "_start")) << "of gcc before 4.9";
  }
}

TEST(LoopForms, CanBeServed) {
  const auto kinds = [](const char* value) { return *config::parse_loops(value); };
  const LoopForms none{LoopForm::monotonic, LoopForm::ordered, LoopForm::doacross, LoopForm::fixed};
  EXPECT_FALSE(can_be_served(none));
  EXPECT_FALSE(can_be_served(none, cli::k_all_loops));
  EXPECT_FALSE(leaves_out(none, kinds("runtime")));
  EXPECT_TRUE(can_be_served({LoopForm::hidden}, kinds("guided")));
  EXPECT_FALSE(leaves_out({LoopForm::hidden}, kinds("guided"))) << "the form is not known";
  for (const auto form : {LoopForm::runtime, LoopForm::reduction}) {
    EXPECT_TRUE(can_be_served({form}, LoopKinds{}));
    EXPECT_FALSE(can_be_served({form}, kinds("dynamic,guided,auto")));
    EXPECT_TRUE(leaves_out({form}, kinds("dynamic")));
    EXPECT_EQ(cli::loops_for({form}), "runtime");
  }
  EXPECT_FALSE(can_be_served({LoopForm::dynamic}, kinds("runtime,guided,auto")));
  EXPECT_TRUE(can_be_served({LoopForm::dynamic}, kinds("dynamic")));
  EXPECT_FALSE(can_be_served({LoopForm::guided}, kinds("runtime,dynamic,auto")));
  EXPECT_TRUE(can_be_served({LoopForm::guided}, kinds("all")));
  EXPECT_TRUE(leaves_out({LoopForm::runtime, LoopForm::guided}, kinds("runtime")));
  EXPECT_FALSE(leaves_out({LoopForm::runtime, LoopForm::guided}, kinds("runtime,guided")));
  EXPECT_EQ(cli::loops_for({LoopForm::guided, LoopForm::runtime}), "all");
  EXPECT_EQ(cli::loops_for({LoopForm::guided, LoopForm::hidden}), "all");
  EXPECT_TRUE(can_be_served({LoopForm::call}, kinds("auto"))) << "it asks no runtime for a schedule";
  EXPECT_FALSE(leaves_out({LoopForm::call}, kinds("auto")));
}

TEST(OpenMpRuntime, IsKnownByItsSymbols) {
  EXPECT_EQ(cli::openmp_runtime(CLI_FAKE_GCC)->family, OpenMpRuntime::Family::gcc);
  const auto llvm = cli::openmp_runtime(CLI_FAKE_RUNTIME);
  ASSERT_TRUE(llvm);
  EXPECT_EQ(llvm->family, OpenMpRuntime::Family::llvm);
  EXPECT_FALSE(llvm->debug_build);
  EXPECT_TRUE(cli::openmp_runtime(CLI_FAKE_TRACES)->debug_build);
  for (const auto* other : {CLI_STAND_IN, "/nonexistent", "/", "/etc/passwd"})
    EXPECT_FALSE(cli::openmp_runtime(other)) << other;
  // A program that calls one is none.
  EXPECT_FALSE(cli::openmp_runtime(target("calls_llvm")));
}

// The child lives until it was seen with the library.
TEST(MappedWatch, SeesWhatAProgramLoads) {
  for (const bool below_a_shell : {false, true}) {
    Arguments command{target("plugin_host"), CLI_FAKE_GCC};
    if (below_a_shell) command = {"/bin/sh", "-c", "\"$0\" \"$1\"; exit $?", command[0], command[1]};
    cli::Environment environment;
    environment.set("OMPI_COMM_WORLD_RANK", "3");
    cli::MappedWatch watch;
    bool seen = false;
    const auto look = [&](pid_t child) {
      watch.look(child);
      const auto files = watch.files();
      seen = std::any_of(files.begin(), files.end(), [](const fs::path& file) {
        std::error_code error;
        return fs::equivalent(file, CLI_FAKE_GCC, error);
      });
      if (!seen) return;
      if (!below_a_shell) {
        EXPECT_EQ(watch.cpus(child), place::current_mask());
        EXPECT_EQ(watch.rank(child), "3");
        EXPECT_TRUE(watch.cpus(1).empty()) << "it was not looked at";
      }
      // A shell's signals do not reach what it waits for.
      ::kill(child, below_a_shell ? SIGTERM : SIGUSR1);
    };
    const auto ending = cli::supervise(command, environment, {.look = look});
    EXPECT_EQ(ending.error, 0);
    EXPECT_TRUE(seen);
    EXPECT_TRUE(below_a_shell ? WIFSIGNALED(ending.wait_status) : WEXITSTATUS(ending.wait_status) == 0);
  }
}

TEST(BindingLog, TellsWhichFilesCallARuntimePastTheLibrary) {
  const std::string runtime = CLI_FAKE_GCC;
  const auto line = [](const std::string& from, const std::string& to, const std::string& symbol) {
    return "   459:\tbinding file " + from + " [0] to " + to + " [0]: normal symbol `" + symbol +
           "' [GOMP_1.0]\n";
  };
  const auto log = line("./a.so", runtime, "GOMP_parallel") + line("./a.so", runtime, "GOMP_loop_end") +
                   line("./b.so", "/w/libwstree.so.1", "GOMP_parallel") +
                   line("/w/libwstree.so.1", runtime, "GOMP_parallel") +
                   line(runtime, runtime, "GOMP_parallel") + line("./c.so", runtime, "GOMP_critical_start") +
                   line("./d.so", "/nowhere.so", "GOMP_parallel") + "   459:\tcalling init: ./e.so\n";
  EXPECT_EQ(cli::calls_past(log, "/w/libwstree.so.1", {"GOMP_parallel", "GOMP_loop_end"}),
            (cli::CallsPast{{"./a.so", runtime}}));
}

} // namespace
} // namespace wstree::test
