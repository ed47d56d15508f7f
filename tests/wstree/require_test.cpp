// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `wstree run --require`, which waits for the program and judges by the figures of the library. The stand-in
// writes them.
#include "command.h"

namespace wstree::test {
namespace {

constexpr const char* k_json =
    "{\"version\": \"0\", \"threads\": 2, \"loops\": [{\"where\": \"here\", \"calls\": 1}]}\n";
// What the command makes of that begins so.
constexpr const char* k_shown =
    "wstree 0: 1 loop served, 1 call, 2 threads, 0 steals\n  loop  calls     time ";
constexpr const char* k_text = "wstree 0: 1 loop served\n  here  1 call\n";

class Require : public testing::Test {
protected:
  Require() { start_.environment["TMPDIR"] = folder_.path().string(); }

  Result run_with(const Arguments& options, const std::string& serves, const Arguments& command) {
    start_.arguments = {"run", "--require"};
    start_.arguments.insert(start_.arguments.end(), options.begin(), options.end());
    start_.arguments.insert(start_.arguments.end(), command.begin(), command.end());
    start_.environment["STAND_IN_SERVES"] = serves;
    return run(start_);
  }
  [[nodiscard]] std::string file(const char* name) const { return folder_ / name; }
  [[nodiscard]] bool is_tidy() const {
    return std::none_of(fs::directory_iterator(folder_.path()), {},
                        [](const auto& entry) { return entry.is_directory(); });
  }

  const Arguments program_{target("calls_llvm")};
  TemporaryFolder folder_;
  Start start_;
};

TEST_F(Require, FailsWhenNoLoopWasServed) {
  struct Row {
    std::string serves;
    Arguments command;
    int status;
    std::string err; ///< a part of the one line; empty: there is none
  };
  const Row table[] = {
      {"loop", program_, 0, ""},
      {"none", program_, 125, "wstree: --require: no loop of '" + program_[0] + "' was served"},
      {"loop", {target("calls_algorithm")}, 0, ""}, // it has no other loops, and is not refused
      {"loop", {target("calls_both")}, 0, ""},
      {"none", {"/bin/sh", "-c", "exit 3"}, 3, "no loop was served; neither '/bin/sh' nor a library"},
  };
  for (const auto& [serves, command, status, err] : table) {
    const auto result = run_with({}, serves, command);
    EXPECT_EQ(result.status(), status) << result.err;
    EXPECT_THAT(result.err, HasSubstr(err));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), err.empty() ? 0 : 1) << result.err;
    EXPECT_TRUE(command != program_ || result.out == "ran\n") << result.out;
    EXPECT_TRUE(is_tidy());
  }
}

TEST_F(Require, FiguresNameLoopsThatAreLeftToTheRuntimeBesideServedOnes) {
  for (const auto* const name : {"calls_both", "calls_mixed"}) {
    const auto result = run_with({"--stats"}, "loop", {target(name)});
    EXPECT_EQ(result.status(), 0) << result.err;
    EXPECT_THAT(result.err,
                HasSubstr("that say schedule(dynamic) are left to the runtime: --loops all serves them; "));
    EXPECT_EQ(run_with({}, "loop", {target(name)}).err, "") << "nothing is wrong";
  }
}

TEST_F(Require, LeavesTheFiguresWhereTheUserWantsThem) {
  EXPECT_THAT(run_with({"--stats"}, "loop", program_).err, StartsWith(k_shown));
  EXPECT_EQ(run_with({"--stats=json"}, "loop", program_).err, k_json);
  EXPECT_EQ(run_with({"--stats=json=" + file("a.json")}, "loop", program_).status(), 0);
  EXPECT_EQ(contents(file("a.json")), k_json);
  EXPECT_EQ(run_with({"--stats=text=" + file("b.txt")}, "loop", program_).status(), 0);
  EXPECT_EQ(contents(file("b.txt")), k_text);
  EXPECT_EQ(run_with({"--stats=json=" + file("[x]*%p?")}, "loop", program_).status(), 0);
  EXPECT_EQ(run_with({"--stats=text=" + file("c%p")}, "none", program_).status(), 125);
  start_.environment["WSTREE_STATS"] = "1";
  EXPECT_THAT(run_with({}, "loop", program_).err, StartsWith(k_shown));
  EXPECT_TRUE(is_tidy());
}

// The library does not touch a file that is there, and neither does the judgement.
TEST_F(Require, IgnoresFiguresOfEarlierRuns) {
  const auto old = folder_.write("old.json", k_json), other = folder_.write("other.json", "");
  EXPECT_EQ(run_with({"--stats=json=" + old}, "?", program_).status(), 125);
  // As the library does when a name is taken.
  const Arguments writes{"/bin/sh", "-c", "echo '{\"loops\": [1]}' >" + other + ".1"};
  EXPECT_EQ(run_with({"--stats=json=" + other}, "?", writes).status(), 0);
}

TEST_F(Require, ARelativePathBelongsToTheFolderOfTheCommand) {
  start_.folder = folder_.path();
  const Arguments elsewhere{"/bin/sh", "-c", "cd / && exec " + target("plain")};
  EXPECT_EQ(run_with({"--stats=json=here.json"}, "loop", elsewhere).status(), 0);
  EXPECT_EQ(contents(file("here.json")), k_json);
}

TEST_F(Require, DamagedFiguresProveNothing) {
  const auto write = [&](const std::string& text) {
    fs::remove(file("x"));
    return run_with({"--stats=json=" + file("x")}, "?",
                    {"/bin/sh", "-c", "printf '%s' '" + text + "' >" + file("x")})
        .status();
  };
  EXPECT_EQ(write("{\"loops\": [1]}"), 0);
  for (const auto* text : {"{\"loops\": [1", "{\"loops\": []}", "{}", "{\"loops\": 0}", "[]", ""})
    EXPECT_EQ(write(text), 125) << text;
}

TEST_F(Require, NeedsAFolderForFigures) {
  start_.environment["TMPDIR"] = "/nonexistent";
  EXPECT_THAT(run_with({}, "loop", program_).err, HasSubstr("set TMPDIR to a folder that can be written to"));
}

/// `wstree run --stats` where the program writes no figures.
class MissingFigures : public Require {
protected:
  Result run_with_stats(Arguments command) {
    command.insert(command.begin(), {"run", "--stats"});
    start_.arguments = std::move(command);
    start_.environment["STAND_IN_SERVES"] = "loop";
    return run(start_);
  }
};

TEST_F(MissingFigures, AreDueToASignal) {
  const auto result = run_with_stats({target("end"), "signal", "15"});
  EXPECT_EQ(result.signal(), SIGTERM);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err,
              HasSubstr("\nwstree: --stats: the program was ended by signal 15 (Terminated) before "));
  EXPECT_TRUE(is_tidy());
  start_.environment["WSTREE_STATS"] = "1";
  start_.arguments = {"run", target("end"), "signal", "15"};
  EXPECT_THAT(run(start_).err, HasSubstr("wstree: WSTREE_STATS: the program was ended by signal 15 "));
}

TEST_F(MissingFigures, AreDueToAnEndWithoutExitHandlers) {
  const auto line = HasSubstr("wstree: --stats: no figures came: no OpenMP loop ran, or the program ended ");
  const auto left = run_with_stats({"/usr/bin/env", target("end"), "leave", "4"});
  EXPECT_EQ(left.status(), 4);
  EXPECT_THAT(left.err, line);
  const auto other = run_with_stats({"/usr/bin/env", "-u", "LD_PRELOAD", target("plain")});
  EXPECT_EQ(other.status(), 0);
  EXPECT_EQ(other.out, "ran\n");
  EXPECT_THAT(other.err, line);
  EXPECT_THAT(run_with_stats(program_).err, Not(line));
  // The program has no loops, which a line says before it runs.
  EXPECT_THAT(run_with_stats({target("end"), "leave", "4"}).err, Not(line));
}

/// A program that waits for SIGUSR1, below a wstree that waits for it.
class Supervision : public testing::Test {
protected:
  Supervision() {
    // The shell says which process the program will be.
    start_.arguments = {"run", "--require", "/bin/sh", "-c", "echo $$; exec " + target("end") + " wait"};
    start_.environment["TMPDIR"] = folder_.path().string(); // a wstree that is killed cannot tidy up
  }
  /// After it got the signals.
  Result ended_by(const std::vector<int>& signals) const {
    Command command(start_.launch());
    const auto child = std::stoi(command.read_line());
    EXPECT_EQ(command.read_line(), "ready");
    for (const int signal : signals) {
      ::kill(signal == SIGSTOP ? child : command.pid(), signal);
      EXPECT_TRUE(signal != SIGSTOP || command.wait_for_stop());
    }
    return command.finish();
  }

  TemporaryFolder folder_;
  Start start_;
};

TEST_F(Supervision, ForwardsSignalsAndEndsAsTheProgramDoes) {
  EXPECT_EQ(ended_by({SIGUSR1}).status(), 7);
  EXPECT_EQ(ended_by({SIGTERM}).signal(), SIGTERM);
  EXPECT_EQ(ended_by({SIGSTOP, SIGCONT, SIGUSR1}).status(), 7) << "both stop and go on";
}

// finish() waits until no process holds the pipes any more, so a survivor would hang this test.
TEST_F(Supervision, TakesTheProgramWithIt) { EXPECT_EQ(ended_by({SIGKILL}).signal(), SIGKILL); }

TEST(SupervisionInherits, IgnoredChildSignals) {
  // As after `trap "" CHLD` in a shell.
  struct sigaction before {};
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGCHLD, &ignore, &before), 0);
  Start start{.arguments = {"run", "--require", "/usr/bin/env", "grep", "SigIgn", "/proc/self/status"}};
  start.environment["STAND_IN_SERVES"] = "loop";
  Command command(start.launch());
  ASSERT_EQ(::sigaction(SIGCHLD, &before, nullptr), 0);
  const auto result = command.finish();
  EXPECT_EQ(result.status(), 0);
  const auto mask = std::stoull(result.out.substr(result.out.find('\t')), nullptr, 16);
  EXPECT_TRUE(mask & (1ULL << (SIGCHLD - 1))) << "the program inherits it";
}

} // namespace
} // namespace wstree::test
