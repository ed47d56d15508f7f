// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `wstree doctor` as a user sees it, with a stand-in for the library; and the command in control groups that
// really limit it. They can be made by root only, and where the hierarchy is writable.
#include "command.h"

#include "cgroup.h"
#include "process_limits.h"

#include <fnmatch.h>

namespace wstree::test {
namespace {

class Doctor : public testing::Test {
protected:
  Doctor() {
    start_.environment["OMP_NUM_THREADS"] = "2";
    start_.environment["STAND_IN_SERVES"] = "loop";
    start_.environment["TMPDIR"] = folder_.path().string();
  }

  Result look_at(const Arguments& command, const Arguments& options = {}) {
    start_.arguments = {"doctor"};
    start_.arguments.insert(start_.arguments.end(), options.begin(), options.end());
    start_.arguments.insert(start_.arguments.end(), command.begin(), command.end());
    return run(start_);
  }

  /// The checks of this name in the JSON form, whose exit status has to agree.
  std::vector<json> checks(const std::string& name, const Arguments& command) {
    const auto result = look_at(command, {"--json"});
    EXPECT_EQ(json::parse(result.out)["status"], result.status());
    const auto found = checks_in(result.out, name);
    for (const auto& check : found) {
      const bool is_bad = check["status"] == "warn" || check["status"] == "fail";
      EXPECT_TRUE(!is_bad || (check["cause"] != "" && check["fix"] != "")) << check;
    }
    return found;
  }
  json check(const std::string& name, const Arguments& command = {}) {
    const auto found = checks(name, command);
    return found.empty() ? json() : found.back();
  }

  TemporaryFolder folder_;
  Start start_;
};

TEST_F(Doctor, HasOneLineForEachCheck) {
  const auto result = look_at({});
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("ok    library    " CLI_STAND_IN " " WSTREE_VERSION " (64-bit "));
  for (const std::string name : {"loader ", "preload ", "cpus ", "quota ", "placement ", "variable "})
    EXPECT_THAT(result.out, HasSubstr("  " + name));
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);)
    EXPECT_THAT(line, testing::MatchesRegex(
                          "(ok  |note|warn|FAIL)  [a-z]+ +[^ ].*|                 (cause|fix): .*"));
}

TEST_F(Doctor, TriesTheProgram) {
  const auto result = look_at({"--", target("calls_llvm")});
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("\nran\nok    trial      exit status 0\n"
                                    "ok    trial      served: 1 schedule(runtime) loop in 1 execution\n"));
  EXPECT_THAT(result.out, HasSubstr("\nok    program    " + target("calls_llvm") + " (64-bit "));
  EXPECT_THAT(result.out, HasSubstr("\nok    loops      cli_calls_llvm: runtime, dynamic or guided (only"));
  EXPECT_THAT(result.out, HasSubstr("\nok    runtime    " CLI_FAKE_RUNTIME " (LLVM)\n"));
  EXPECT_TRUE(fs::is_empty(folder_.path())) << "the figures are gone";
}

TEST_F(Doctor, PassesTheProgramsOutputOn) {
  const Arguments command{"/bin/sh", "-c", "echo out; echo err >&2; exit 3"};
  const auto text = look_at(command);
  EXPECT_THAT(text.out,
              testing::AllOf(HasSubstr("\nout\n"), HasSubstr("\nnote  trial      exit status 3\n")));
  EXPECT_EQ(text.err, "err\n");
  const auto as_json = look_at(command, {"--json"});
  EXPECT_EQ(as_json.err, "out\nerr\n");
  EXPECT_TRUE(json::accept(as_json.out));
}

TEST_F(Doctor, RunsTheProgramAsItShouldBeRun) {
  for (const std::string schedule : {"wstree", "wstree,8"}) {
    const auto seen = look_at({target("show")});
    EXPECT_EQ(seen.variable("LD_PRELOAD"), CLI_STAND_IN);
    EXPECT_EQ(seen.variable("OMP_SCHEDULE"), schedule);
    EXPECT_THAT(seen.variable("WSTREE_STATS").value_or(""), StartsWith("json=" + folder_.path().string()));
    start_.environment["OMP_SCHEDULE"] = "wstree,8";
    start_.environment["WSTREE_STATS"] = "1";
  }
}

TEST_F(Doctor, JudgesEachPartOfTheEnvironment) {
  fs::copy(CLI_STAND_IN, folder_.path() / "with blank.so");
  const Arguments none, dynamic{target("calls_gcc_dynamic")}, llvm{target("calls_llvm")};
  const std::string stand_in = CLI_STAND_IN, other = CLI_OTHER_PRELOAD, first = CLI_FIRST_PRELOAD;
  struct Row {
    Variables variables;
    Arguments command;
    const char* check;   ///< the last one of this name
    std::string pattern; ///< of "STATUS FOUND | CAUSE | FIX"
  };
  const Row table[] = {
      {{{"WSTREE_LIBRARY", "/nonexistent/libwstree.so"}}, none, "library", "fail *"},
      {{{"WSTREE_LIBRARY", other}}, none, "library", "fail * | *is not libwstree* | *"},
      {{{"WSTREE_LIBRARY", folder_ / "with blank.so"}}, none, "library", "* | *a blank or a colon* | *"},
      {{{"WSTREE_LIBRARY", CLI_STAND_IN_OLD}},
       none,
       "library",
       "warn * 0.0.1 (* | *is " WSTREE_VERSION "* | *"},
      {{}, none, "preload", "ok no other library is preloaded | *"},
      {{{"LD_PRELOAD", stand_in + ":" + other + " libm.so.6"}},
       none,
       "preload",
       "ok *: " + other + ", libm.so.6 | *"},
      {{{"LD_PRELOAD", "/nonexistent/lib.so"}},
       none,
       "preload",
       "warn * | *does not take /nonexistent/* | *"},
      {{{"LD_PRELOAD", "libm.so.6:" + first}}, none, "preload", "warn " + first + " | *-z initfirst* | *"},
      {{{"OMP_SCHEDULE", "wstree,4"}}, none, "preload", "* OMP_SCHEDULE=wstree,4 without the library in *"},
      {{{"OMP_SCHEDULE", "wsrange"}, {"LD_PRELOAD", other}},
       none,
       "preload",
       "* OMP_SCHEDULE=wsrange without *"},
      {{{"OMP_SCHEDULE", "wstree,4"}, {"LD_PRELOAD", stand_in + ":" + other}}, none, "preload", "ok stays *"},
      {{{"OMP_SCHEDULE", "dynamic,4"}}, none, "preload", "ok no other *"},
      {{},
       {"no-such-program-here"},
       "program",
       "fail * | there is no such program, or it is not in PATH | *"},
      {{}, {"/usr"}, "program", "fail *"},
      {{}, {folder_.write("damaged", "\177ELF", k_executable)}, "program", "fail *"},
      {{}, {target("no_loader")}, "program", "fail *"},
      {{{"STAND_IN_SERVES", "none"}}, llvm, "trial", "warn * | try WSTREE_LOOPS=all; *"},
      {{{"STAND_IN_SERVES", "none"}}, dynamic, "trial", "warn * | WSTREE_LOOPS=runtime,proven leaves out *"},
      {{{"STAND_IN_SERVES", "none"}}, dynamic, "loops", "warn *"},
      {{{"STAND_IN_SERVES", "none"}, {"WSTREE_LOOPS", "dynamic"}}, dynamic, "loops", "ok *"},
      {{{"TMPDIR", "/nonexistent"}}, llvm, "trial", "fail * | *set TMPDIR* | *"},
      {{{"WSTREE_BIND", "none"}}, none, "placement", "* threads are not pinned (none: as asked for) | *"},
      {{{"OMP_NUM_THREADS", "1"}}, none, "placement", "* threads are not pinned (auto: a team of one) | *"},
      {{{"OMP_PLACES", "cores"}}, none, "placement", "* threads are not pinned (auto: OMP_PLACES is set) *"},
      {{{"WSTREE_BIND", "close"}}, none, "placement", "* threads are pinned (close: 2 members on *"},
  };
  const auto usual = start_.environment;
  for (const auto& [variables, command, name, pattern] : table) {
    start_.environment = usual;
    for (const auto& [variable, value] : variables) start_.environment[variable] = value;
    const auto found = check(name, command);
    const auto line = found.value("status", "") + ' ' + found.value("found", "") + " | " +
                      found.value("cause", "") + " | " + found.value("fix", "");
    EXPECT_EQ(::fnmatch(pattern.c_str(), line.c_str(), 0), 0) << line << "\nis not " << pattern;
  }
  start_.environment = usual;
  start_.environment["STAND_IN_SERVES"] = "none";
  EXPECT_EQ(look_at(dynamic).status(), 1);
  EXPECT_EQ(look_at({"no-such-program-here"}).status(), 2);
}

TEST_F(Doctor, NotesTwoRuntimes) {
  start_.environment["LD_PRELOAD"] = CLI_FAKE_TRACES;
  const auto found = checks("runtime", {target("calls_gcc_runtime")});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[0].dump() + found[1].dump(), HasSubstr("debug build"));
  EXPECT_EQ(found[2]["found"], "2 OpenMP runtimes in the program");
}

TEST_F(Doctor, NeedsTheLibrary) {
  start_.environment["WSTREE_LIBRARY"] = "/nonexistent/libwstree.so";
  const auto result = look_at({target("calls_llvm")});
  EXPECT_EQ(result.status(), 2);
  EXPECT_THAT(result.out, HasSubstr("FAIL  library    not found\n"));
  EXPECT_THAT(result.out, HasSubstr("\nnote  trial      not run\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("\nran\n")));
}

TEST_F(Doctor, FollowsAScript) {
  const auto script = folder_.write("script", "#!/bin/sh\n" + target("calls_llvm") + "\n", k_executable);
  const auto result = look_at({script});
  EXPECT_THAT(result.out, HasSubstr("ok    program    '" + script + "' is a script\n"));
  EXPECT_THAT(result.out, HasSubstr("ok    program    /bin/sh ("));
  EXPECT_THAT(result.out, HasSubstr("note  loops      none that can be seen before the program runs\n"));
  EXPECT_THAT(result.out, HasSubstr("ok    trial      served: 1 schedule(runtime) loop in 1 execution\n"));
}

TEST_F(Doctor, ReadsTheMaskInForce) {
  start_.executable = "/usr/bin/taskset";
  start_.arguments = {"-c", std::to_string(place::current_mask().next(0)), WSTREE_CLI, "doctor", "--json"};
  const auto cpus = check_in(run(start_).out, "cpus");
  EXPECT_EQ(cpus["status"], "warn");
  EXPECT_EQ(cpus["fix"], "set OMP_NUM_THREADS=1, or allow more CPUs (taskset, the batch system)");
}

/// A control group inside that of this process, empty again when the test ends.
class InAGroup : public testing::Test {
protected:
  void SetUp() override {
    const auto found = place::find_groups(place::Controller::cpu);
    for (std::uint32_t i = 0; i < found.count && folder_.empty(); ++i) {
      const auto& group = found.groups[i];
      const auto folder = fs::path(group.folder.view()) / ("wstree-test-" + std::to_string(::getpid()));
      quota_ = group.version == 2 ? "cpu.max" : "cpu.cfs_quota_us";
      if (::mkdir(folder.c_str(), 0755) != 0) continue;
      if (::access((folder / quota_).c_str(), W_OK) == 0) {
        folder_ = folder;
      } else {
        ::rmdir(folder.c_str()); // the controller is not in use there
      }
    }
    if (folder_.empty()) GTEST_SKIP() << "no control group can be made here";
    if (place::current_mask().count() < 2) GTEST_SKIP() << "there is one CPU only";
  }
  void TearDown() override {
    if (!folder_.empty()) {
      EXPECT_EQ(::rmdir(folder_.c_str()), 0) << folder_ << ": " << std::strerror(errno);
    }
  }

  /// `wstree ARGUMENTS` in a group with this time for each 100000.
  Result within(const std::string& time, const std::string& arguments, const Variables& more) const {
    std::ofstream out(folder_ / quota_);
    out << time << (quota_ == "cpu.max" ? " 100000" : "") << std::flush;
    EXPECT_TRUE(out.good()) << time;
    Start start{.arguments = {"-c", "echo $$ >'" + (folder_ / "cgroup.procs").string() +
                                        "' && exec " WSTREE_CLI " " + arguments},
                .executable = "/bin/sh"};
    for (const auto& [name, value] : more) start.environment[name] = value;
    return run(start);
  }
  /// The library there is a stand-in, so the program sees the wish for a team, not its size.
  Result run_env(const std::string& time, const Variables& more, const std::string& options = "") const {
    return within(time, "run " + options + " -- /usr/bin/env", more);
  }

  fs::path folder_;
  std::string quota_;
};

TEST_F(InAGroup, DoctorSeesTheQuota) {
  const auto doctor = [&](const char* time) {
    return within(time, "doctor --json", {{"OMP_NUM_THREADS", "3"}}).out;
  };
  const auto document = doctor("150000");
  EXPECT_THAT(check_in(document, "quota")["found"].get<std::string>(),
              HasSubstr("1.5 CPUs for 3 threads (" + folder_.string() + "/"));
  EXPECT_EQ(check_in(document, "quota")["status"], "warn");
  EXPECT_THAT(check_in(document, "placement").dump(),
              HasSubstr("(auto: 3 members, but a control group grants "));
  EXPECT_EQ(check_in(doctor("900000"), "quota")["status"], "ok") << "a group that grants enough";
}

TEST_F(InAGroup, RunAsksForATeamThatFitsTheQuota) {
  const auto result = run_env("50000", {});
  EXPECT_THAT(result.out, HasSubstr("WSTREE_THREADS=auto\n"));
  EXPECT_THAT(result.err, HasSubstr("teams have 1 thread instead of "));
  EXPECT_THAT(result.err, HasSubstr("because the control groups grant the time of 0.5 CPUs"));
  for (const auto& [name, value] : Variables{{"OMP_NUM_THREADS", "3"}, {"WSTREE_THREADS", "off"}}) {
    const auto decided = run_env("50000", {{name, value}});
    EXPECT_THAT(decided.out, Not(HasSubstr("WSTREE_THREADS=auto")));
    EXPECT_THAT(decided.err, Not(HasSubstr("teams have")));
  }
}

TEST_F(InAGroup, RunLetsThreadsSleepSoonIfSpinningCouldUseUpTheQuota) {
  const auto count = HasSubstr("GOMP_SPINCOUNT=1000\n"), time = HasSubstr("KMP_BLOCKTIME=1\n");
  const auto spins = testing::AnyOf(count, time);
  const auto result = run_env("150000", {});
  EXPECT_THAT(result.out, testing::AllOf(count, time));
  EXPECT_THAT(result.err, Not(HasSubstr("SPINCOUNT"))) << "--verbose is not given";
  EXPECT_THAT(
      run_env("150000", {}, "--verbose").err,
      HasSubstr("GOMP_SPINCOUNT=1000 and KMP_BLOCKTIME=1, because the control groups grant the time "));
  for (const auto* whole : {"100000", "200000"}) EXPECT_THAT(run_env(whole, {}).out, Not(spins));
  for (const auto& [name, value] : Variables{{"OMP_NUM_THREADS", "2"},
                                             {"WSTREE_THREADS", "off"},
                                             {"OMP_WAIT_POLICY", "active"},
                                             {"GOMP_SPINCOUNT", "7"},
                                             {"KMP_BLOCKTIME", "7"}})
    EXPECT_THAT(run_env("150000", {{name, value}}).out, Not(spins)) << name;
}

} // namespace
} // namespace wstree::test
