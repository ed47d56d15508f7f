// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `wstree doctor` as a user sees it, with a stand-in for the library.
#include "command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wstree::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;
using Arguments = std::vector<std::string>;

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
    const auto document = json::parse(result.out);
    EXPECT_EQ(document["status"], result.status());
    std::vector<json> found;
    for (const auto& check : document["checks"]) {
      const bool is_bad = check["status"] == "warn" || check["status"] == "fail";
      EXPECT_TRUE(!is_bad || (check["cause"] != "" && check["fix"] != "")) << check;
      if (check["name"] == name) found.push_back(check);
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
  for (const auto* name : {"loader ", "preload ", "cpus ", "quota ", "placement ", "variable "}) {
    EXPECT_THAT(result.out, HasSubstr("  " + std::string(name))) << name;
  }
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);)
    EXPECT_THAT(line, MatchesRegex("(ok  |note|warn|FAIL)  [a-z]+ +[^ ].*|                 (cause|fix): .*"));
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
  EXPECT_THAT(text.out, HasSubstr("\nout\n"));
  EXPECT_EQ(text.err, "err\n");
  EXPECT_THAT(text.out, HasSubstr("\nnote  trial      exit status 3\n"));
  const auto as_json = look_at(command, {"--json"});
  EXPECT_EQ(as_json.err, "out\nerr\n");
  EXPECT_TRUE(json::accept(as_json.out));
}

TEST_F(Doctor, RunsTheProgramAsItShouldBeRun) {
  const auto seen = look_at({target("show")});
  EXPECT_EQ(seen.variable("LD_PRELOAD"), CLI_STAND_IN);
  EXPECT_EQ(seen.variable("OMP_SCHEDULE"), "wstree");
  EXPECT_THAT(seen.variable("WSTREE_STATS").value_or(""), StartsWith("json=" + folder_.path().string()));
  start_.environment["OMP_SCHEDULE"] = "wstree,8";
  start_.environment["WSTREE_STATS"] = "1";
  const auto with_chunk = look_at({target("show")});
  EXPECT_EQ(with_chunk.variable("OMP_SCHEDULE"), "wstree,8");
  EXPECT_THAT(with_chunk.variable("WSTREE_STATS").value_or(""), StartsWith("json="));
}

TEST_F(Doctor, WarnsWhenNothingWasServed) {
  start_.environment["STAND_IN_SERVES"] = "none";
  const auto hidden = check("trial", {target("calls_llvm")});
  EXPECT_EQ(hidden["status"], "warn");
  EXPECT_THAT(hidden["fix"].get<std::string>(), testing::StartsWith("try WSTREE_LOOPS=all; "));
  const auto named = check("trial", {target("calls_gcc_dynamic")});
  EXPECT_EQ(
      named["cause"],
      "WSTREE_LOOPS=runtime,proven leaves out those of its loops that could be served: schedule(dynamic)");
  EXPECT_EQ(check("loops", {target("calls_gcc_dynamic")})["status"], "warn");
  start_.environment["WSTREE_LOOPS"] = "dynamic";
  EXPECT_EQ(check("loops", {target("calls_gcc_dynamic")})["status"], "ok");
  EXPECT_EQ(look_at({target("calls_gcc_dynamic")}).status(), 1);
}

TEST_F(Doctor, NotesTwoRuntimes) {
  start_.environment["LD_PRELOAD"] = CLI_FAKE_TRACES;
  const auto found = checks("runtime", {target("calls_gcc_runtime")});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[0]["cause"].get<std::string>() + found[1]["cause"].get<std::string>(),
              HasSubstr("debug build"));
  EXPECT_EQ(found[2]["found"], "2 OpenMP runtimes in the program");
}

TEST_F(Doctor, NeedsTheLibrary) {
  start_.environment["WSTREE_LIBRARY"] = "/nonexistent/libwstree.so";
  EXPECT_EQ(check("library")["status"], "fail");
  const auto result = look_at({target("calls_llvm")});
  EXPECT_EQ(result.status(), 2);
  EXPECT_THAT(result.out, HasSubstr("FAIL  library    not found\n"));
  EXPECT_THAT(result.out, HasSubstr("\nnote  trial      not run\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("\nran\n")));
}

TEST_F(Doctor, NeedsThisLibrary) {
  start_.environment["WSTREE_LIBRARY"] = CLI_OTHER_PRELOAD;
  const auto found = check("library");
  EXPECT_EQ(found["status"], "fail");
  EXPECT_THAT(found["cause"].get<std::string>(), HasSubstr("is not libwstree"));
  const auto path = folder_.path() / "with blank.so";
  fs::copy(CLI_STAND_IN, path);
  start_.environment["WSTREE_LIBRARY"] = path;
  EXPECT_THAT(check("library")["cause"].get<std::string>(), HasSubstr("a blank or a colon"));
}

TEST_F(Doctor, WarnsAboutAnotherVersion) {
  start_.environment["WSTREE_LIBRARY"] = CLI_STAND_IN_OLD;
  const auto found = check("library");
  EXPECT_EQ(found["status"], "warn");
  EXPECT_THAT(found["found"].get<std::string>(), HasSubstr(" 0.0.1 ("));
  EXPECT_THAT(found["cause"].get<std::string>(), HasSubstr("this command is " WSTREE_VERSION));
}

TEST_F(Doctor, ListsOtherPreloads) {
  EXPECT_EQ(check("preload")["found"], "no other library is preloaded");
  start_.environment["LD_PRELOAD"] = CLI_STAND_IN ":" CLI_OTHER_PRELOAD " libm.so.6";
  const auto others = check("preload");
  EXPECT_EQ(others["status"], "ok");
  EXPECT_EQ(others["found"], "stays behind libwstree: " CLI_OTHER_PRELOAD ", libm.so.6");
  start_.environment["LD_PRELOAD"] = "/nonexistent/lib.so";
  EXPECT_EQ(check("preload")["status"], "warn");
  EXPECT_THAT(check("preload")["cause"].get<std::string>(), HasSubstr("does not take /nonexistent/lib.so"));
}

TEST_F(Doctor, SeesAScheduleWithoutTheLibrary) {
  const auto says_so = [&](const std::string& schedule, const std::string& preload) {
    start_.environment["OMP_SCHEDULE"] = schedule;
    start_.environment["LD_PRELOAD"] = preload;
    const auto found = check("preload")["found"].get<std::string>();
    return found == "OMP_SCHEDULE=" + schedule + " without the library in LD_PRELOAD";
  };
  EXPECT_TRUE(says_so("wstree,4", ""));
  EXPECT_TRUE(says_so("wsrange", CLI_OTHER_PRELOAD));
  EXPECT_FALSE(says_so("wstree,4", CLI_STAND_IN ":" CLI_OTHER_PRELOAD));
  EXPECT_FALSE(says_so("dynamic,4", ""));
}

TEST_F(Doctor, WarnsAboutASecondInitialLibrary) {
  start_.environment["LD_PRELOAD"] = "libm.so.6:" CLI_FIRST_PRELOAD;
  const auto found = check("preload");
  EXPECT_EQ(found["status"], "warn");
  EXPECT_EQ(found["found"], CLI_FIRST_PRELOAD);
  EXPECT_THAT(found["cause"].get<std::string>(), HasSubstr("-z initfirst"));
}

TEST_F(Doctor, NeedsAProgramThatRuns) {
  EXPECT_EQ(check("program", {"no-such-program-here"})["cause"],
            "there is no such program, or it is not in PATH");
  EXPECT_EQ(check("program", {"/usr"})["status"], "fail");
  EXPECT_EQ(check("program", {folder_.write("damaged", "\177ELF", k_executable)})["status"], "fail");
  EXPECT_EQ(check("program", {target("no_loader")})["status"], "fail");
  EXPECT_EQ(look_at({"no-such-program-here"}).status(), 2);
}

TEST_F(Doctor, FollowsAScript) {
  const auto script = folder_.write("script", "#!/bin/sh\n" + target("calls_llvm") + "\n", k_executable);
  const auto result = look_at({script});
  EXPECT_THAT(result.out, HasSubstr("ok    program    '" + script + "' is a script\n"));
  EXPECT_THAT(result.out, HasSubstr("ok    program    /bin/sh ("));
  EXPECT_THAT(result.out, HasSubstr("note  loops      none that can be seen before the program runs\n"));
  EXPECT_THAT(result.out, HasSubstr("ok    trial      served: 1 schedule(runtime) loop in 1 execution\n"));
}

TEST_F(Doctor, NeedsAFolderForFigures) {
  start_.environment["TMPDIR"] = "/nonexistent";
  const auto found = check("trial", {target("calls_llvm")});
  EXPECT_EQ(found["status"], "fail");
  EXPECT_THAT(found["cause"].get<std::string>(), HasSubstr("set TMPDIR"));
}

TEST_F(Doctor, ReadsTheMaskInForce) {
  const auto cpus = [&](const std::string& threads) {
    const auto result =
        run({.arguments = {"-c", "taskset -c \"$(taskset -cp $$ | sed 's/.*[:,-] *//')\" " WSTREE_CLI
                                 " doctor --json"},
             .environment = {{"PATH", "/usr/bin:/bin"},
                             {"WSTREE_LIBRARY", CLI_STAND_IN},
                             {"OMP_NUM_THREADS", threads}},
             .executable = "/bin/sh"});
    const auto document = json::parse(result.out);
    for (const auto& check : document["checks"]) {
      if (check["name"] == "cpus") return check;
    }
    return json();
  };
  EXPECT_EQ(cpus("2")["status"], "warn");
  EXPECT_EQ(cpus("2")["fix"], "set OMP_NUM_THREADS=1, or allow more CPUs (taskset, the batch system)");
}

} // namespace
} // namespace wstree::test
