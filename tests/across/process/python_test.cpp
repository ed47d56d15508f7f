// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A real interpreter that imports extension modules with loops in them: built by GCC and by clang, so with
// two runtimes in one process, from the main thread and from others, and in worker processes.
#include "expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace wstree::test;
using ::testing::IsEmpty;

Program python(const std::string& script, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"-B", WSTREE_TEST_SCRIPTS "/" + script});
  Program program(WSTREE_TEST_PYTHON, std::move(arguments));
  program.set("PYTHONPATH", program_path("python"));
  return program;
}

using Arguments = std::vector<std::string>;

constexpr int k_loops_of_a_module = 40;

class Modules : public testing::TestWithParam<Arguments> {};

TEST_P(Modules, AreServedUnnoticed) {
  int modules = 0;
  for (const std::string& each : GetParam()) modules += each.starts_with("loops") ? 1 : 0;
  expect_unnoticed(python("import_and_run.py", GetParam()), modules * k_loops_of_a_module);
}

INSTANTIATE_TEST_SUITE_P(Python, Modules,
                         testing::Values(Arguments{"loops_gcc"}, Arguments{"loops_clang"},
                                         Arguments{"loops_gcc", "loops_clang"},
                                         Arguments{"loops_clang", "loops_gcc"},
                                         Arguments{"--threads", "loops_gcc", "loops_clang"}),
                         [](const auto& each) {
                           std::string name;
                           for (const std::string& word : each.param)
                             name += (name.empty() ? "" : "_") + word.substr(word.find_first_not_of('-'));
                           return name;
                         });

TEST(Python, ADeeplyBoundModuleRunsNatively) { // one of clang natively crashes the interpreter
  expect_unnoticed(python("import_and_run.py", {"--deep", "loops_gcc"}), 0);
}

class Workers : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Workers, AreServedUnnoticed) {
  const auto& [method, module] = GetParam();
  expect_unnoticed(python("workers.py", {method, module}), 1);
  // Workers leave by _exit(), so there are no figures of theirs; but they can say which schedule they have.
  const Outcome outcome =
      python("workers.py", {method, module, "--schedule"}).preload().set("OMP_SCHEDULE", "wstree,5").run();
  EXPECT_EQ(outcome.out, "sum 12987000\nschedule 0x77 0x5\n") << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Python, Workers,
                         testing::Combine(testing::Values("fork", "forkserver", "spawn"),
                                          testing::Values("loops_gcc", "loops_clang")),
                         [](const auto& each) {
                           return std::string(std::get<0>(each.param)) + "_" + std::get<1>(each.param);
                         });

} // namespace
