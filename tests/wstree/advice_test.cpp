// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that are slow for one cause each, and the words by which the command names it, where these depend
// on no speed: iterations sleep. check_advice has all causes, and tries what is recommended.
#include "command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

namespace wstree::test {
namespace {

struct Cause {
  const char* program;
  std::vector<std::string> command;
  const char* words; ///< of a report of its figures, if the command is `run`
};

void PrintTo(const Cause& cause, std::ostream* out) { *out << cause.program; }

class Advice : public testing::TestWithParam<Cause> {};

/// Returns the text that the command prints, or the report of the figures that it has written.
std::string told(const Cause& cause) {
  const auto program = target(std::string("advice_") + cause.program);
  const TemporaryFolder folder;
  const auto figures = (folder.path() / "figures").string();
  auto arguments = cause.command;
  const bool has_figures = arguments.front() == "run";
  if (has_figures) arguments.push_back("--stats=json=" + figures);
  arguments.push_back(program);
  const auto told = [&](const std::vector<std::string>& command) {
    const auto result = run_with_real_library(command, {});
    return result.out + result.err;
  };
  const auto text = told(arguments);
  return has_figures && std::filesystem::exists(figures) ? text + told({"report", figures}) : text;
}

TEST_P(Advice, NamesTheCause) {
  const std::string program = GetParam().program;
  if (!std::filesystem::exists(target("advice_" + program))) GTEST_SKIP() << "there is no gcc here";
  cpu_set_t mine;
  ASSERT_EQ(::sched_getaffinity(0, sizeof mine, &mine), 0);
  if (program == "pinned" && CPU_COUNT(&mine) < 2) GTEST_SKIP() << "there is one CPU only";
  EXPECT_THAT(told(GetParam()), testing::HasSubstr(GetParam().words));
}

INSTANTIATE_TEST_SUITE_P(
    Of, Advice,
    testing::Values(
        Cause{"serial_fraction", {"run"}, "between regions, where one thread works"},
        Cause{"chunk_too_large",
              {"run", "--loops=all"},
              "The chunk is too large: whole chunks of 1000 iterations"},
        Cause{"few_iterations",
              {"run"},
              "an execution has 1.5 iterations for each thread, too few to be shared"},
        Cause{"opposite_loops",
              {"run", "--schedule=wsstatic"},
              "without a barrier: what is uneven in one may make up"},
        Cause{"ordered", {"run"}, "its loops are ordered. Move what needs the order into a loop of its own"},
        Cause{"pinned", {"doctor"}, "in the trial 2 threads had 1 of "},
        Cause{"oversubscribed", {"doctor"}, "in the trial a team had "}),
    [](const auto& test) { return test.param.program + std::to_string(test.index); });

} // namespace
} // namespace wstree::test
