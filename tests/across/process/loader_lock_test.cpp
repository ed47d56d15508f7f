// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loader holds a lock while it executes initialisers and destructors of plugins. Their teams must not
// wait for it: what libwstree calls of the loader, of memory and of locks in a worker is nothing at all.
#include "expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace {

using namespace wstree::test;

using Setting = std::vector<std::pair<std::string, std::string>>;
const Setting k_idle{{"OMP_SCHEDULE", "dynamic,4"}};
const Setting k_served{{"OMP_SCHEDULE", "wstree"}};
const Setting k_all{{"OMP_SCHEDULE", "wstree"}, {"WSTREE_LOOPS", "all"}};
const Setting k_placed{{"OMP_SCHEDULE", "wstree"}, {"WSTREE_BIND", "close"}};
const Setting k_measured{{"OMP_SCHEDULE", "wstree"}, {"WSTREE_STATS", "1"}};

Program with(Program program, const Setting& setting) {
  for (const auto& [variable, value] : setting) program.set(variable, value);
  return program;
}

/// A run that hangs ends after this.
std::vector<std::string> limited(std::vector<std::string> command) {
  command.insert(command.begin(), {"-s", "KILL", "30"});
  return command;
}

class Initialisers : public testing::TestWithParam<std::tuple<const char*, bool>> {};

TEST_P(Initialisers, ExecuteLoopsWhileTheLoaderHoldsItsLock) {
  const auto [plugin, is_lazy] = GetParam();
  const char *when = is_lazy ? "lazy" : "now", *end = is_lazy ? "close" : "stay";
  const Program plain("/usr/bin/timeout", limited({program_path("opens"), when, end, program_path(plugin)}));
  // What happens natively at "close" is a matter of luck: threads of libgomp may be in code that is gone.
  const bool has_end = std::string_view(plugin) != "initialiser_thread_gcc.so";
  const std::string wanted = std::string("status 0, signal 0\nstdout:\nsum 999000\n") +
                             (has_end ? "end 1498500\n" : "") + "stderr:\n";
  for (const Setting& setting : {k_idle, k_all, k_placed})
    ASSERT_EQ(with(plain, setting).preload().run().text(), wanted) << setting.back().second;
}

INSTANTIATE_TEST_SUITE_P(Loading, Initialisers,
                         testing::Combine(testing::Values("initialiser_gcc.so", "initialiser_worker_gcc.so",
                                                          "initialiser_thread_gcc.so",
                                                          "initialiser_clang.so"),
                                          testing::Bool()));

/// The thread that looks at the machine waits for the loader's lock, and the opener no longer for the thread.
TEST(Initialisers, LeaveNoThreadThatReadsAnOldEnvironment) {
  for (const char* const plugin : {"initialiser_gcc.so", "initialiser_clang.so"}) {
    const Program plain("/usr/bin/timeout",
                        limited({program_path("environment_gone"), program_path(plugin)}));
    const Outcome outcome = with(plain, k_placed).preload().run();
    EXPECT_EQ(outcome.text(), "status 0, signal 0\nstdout:\nend\nend 1498500\nstderr:\n") << plugin;
  }
}

TEST(Initialisers, OfAModuleOfPython) {
  if (std::string_view(WSTREE_TEST_PYTHON).empty()) GTEST_SKIP() << "there is no Python with headers";
  Program plain("/usr/bin/timeout", limited({WSTREE_TEST_PYTHON, "-B", "-c", "import initialiser"}));
  plain.set("PYTHONPATH", program_path("python"));
  ASSERT_TRUE(plain.run().succeeded());
  for (const Setting& setting : {k_idle, k_served, k_all})
    ASSERT_TRUE(with(plain, setting).preload().run().succeeded());
}

/// What the library to watch workers has said.
std::vector<std::string> calls_of_workers(const std::string& text) {
  std::vector<std::string> calls;
  for (const std::string& line : lines_of(text))
    if (line.starts_with("worker: ")) calls.push_back(line.substr(8));
  return calls;
}

class WorkerCalls : public testing::TestWithParam<const char*> {};

TEST_P(WorkerCalls, AskForNothingWhereNothingIsServed) {
  const Outcome outcome =
      with(Program(GetParam(), {"--nested"}), k_idle).preload(program_path("worker_watch.so")).run();
  EXPECT_EQ(outcome.out, "wrong 0\n") << outcome.text();
  EXPECT_EQ(outcome.err, "worker: nothing\n");
}

/// A thread gets memory in its first served region. To name a loop for the statistics takes a walk along the
/// loader's list, whose lock is not the one that dlopen() holds.
TEST_P(WorkerCalls, DoNotReachTheLoader) {
  for (const Setting& setting : {k_served, k_all, k_measured}) {
    Program program = with(Program(GetParam()), setting).set("WSTREE_BIND", "none");
    const Outcome outcome = program.preload(program_path("worker_watch.so")).run();
    EXPECT_EQ(outcome.out, "wrong 0\n") << outcome.text();
    const char* const allowed = setting == k_measured ? "nothing|(pthread_once|memory|dl_iterate_phdr) .*"
                                                      : "nothing|(pthread_once|memory) .*";
    EXPECT_THAT(calls_of_workers(outcome.err), testing::Each(testing::MatchesRegex(allowed)))
        << setting.back().second;
  }
}

INSTANTIATE_TEST_SUITE_P(Loading, WorkerCalls, testing::Values("orphans", "orphans_gcc"));

} // namespace
