// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program and its user see of placement: lines where they asked for lines, and nothing anywhere else.
#include "expectations.h"
#include "placed.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace wstree::test;
using ::testing::HasSubstr;

class OnEitherRuntime : public testing::TestWithParam<const char*> {
protected:
  static Program program(const std::string& name, std::vector<std::string> arguments = {}) {
    return Program(name + GetParam(), std::move(arguments));
  }
  static Program one_case(const std::string& name, const std::string& which) {
    return program(name, {"--seed", "1", "--case", which});
  }

  const Cpus all_ = own_cpus();
  const int cores_ = static_cast<int>(cores_of(all_).size());
};

INSTANTIATE_TEST_SUITE_P(Placement, OnEitherRuntime, testing::Values("", "_gcc"),
                         [](const auto& each) { return *each.param == 0 ? "libomp" : "libgomp"; });

// --- OMP_DISPLAY_AFFINITY

/// How many lines are equal to `line`.
long lines_like(const std::string& text, const std::string& line) {
  const std::vector<std::string> lines = lines_of(text);
  return std::count(lines.begin(), lines.end(), line);
}

/// What `text` has beyond the lines of `native`; the runtimes' own lines name threads in the order of chance.
std::vector<std::string> added(const std::string& text, const std::string& native) {
  std::vector<std::string> lines = lines_of(text);
  for (const std::string& each : lines_of(native))
    if (const auto found = std::find(lines.begin(), lines.end(), each); found != lines.end())
      lines.erase(found);
  return lines;
}

/// The worker's CPUs as a display shows them: 3 or 2-3 or 0,2.
std::string shown(const Cpus& cpus) {
  std::string text;
  for (auto each = cpus.begin(); each != cpus.end();) {
    auto last = each;
    while (std::next(last) != cpus.end() && *std::next(last) == *last + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(*each);
    if (last != each) text += "-" + std::to_string(*last);
    each = std::next(last);
  }
  return text;
}

TEST_P(OnEitherRuntime, EachPinnedMemberHasALine) {
  if (cores_ < 2) GTEST_SKIP() << "one core: no thread is pinned";
  Program shows =
      placement(GetParam(), "close", {team(cores_, 3), "quiet=" + std::to_string(cores_) + "x50"});
  const Report report = report_of(shows.set("OMP_DISPLAY_AFFINITY", "true"));
  expect_on_own_cores(report, 2, all_);
  for (const Placed& each : report.in(0, 2)) {
    if (!each.is_worker()) continue;
    const std::string line = "wstree: level 1 thread " + std::to_string(each.member) + " of " +
                             std::to_string(cores_) + " bound to CPU";
    const std::string cpus = shown(each.mask);
    EXPECT_EQ(lines_like(report.outcome.err, line + " " + cpus) +
                  lines_like(report.outcome.err, line + "s " + cpus),
              1)
        << report.text();
  }
}

TEST_P(OnEitherRuntime, NothingOfItIsOnTheStandardOutput) {
  Program shows =
      program("loops").set("OMP_DISPLAY_AFFINITY", "true").set("OMP_AFFINITY_FORMAT", "%n of %N: here");
  const Outcome native = Program(shows).set("OMP_SCHEDULE", "dynamic").run();
  shows.preload().set("OMP_SCHEDULE", "wstree").set("WSTREE_BIND", "close");
  const Outcome outcome = shows.run();
  EXPECT_EQ(fact(outcome.out, "sum"), "4995000") << outcome.text();
  const auto kept = [](const Outcome& each) {
    std::vector<std::string> lines = lines_of(each.out);
    std::erase_if(lines, [](const std::string& line) { return line.starts_with("schedule "); });
    std::sort(lines.begin(), lines.end());
    return lines;
  };
  EXPECT_EQ(kept(outcome), kept(native)) << outcome.text();
  for (const std::string& line : added(outcome.err, native.err)) EXPECT_THAT(line, HasSubstr("of 4: here"));
}

// --- programs that exist

TEST_P(OnEitherRuntime, PinnedThreadsAreUnnoticed) {
  for (const char* which : {"thread_after_thread", "roots_at_once", "teams_of_changing_size", "deep_nesting"})
    expect_unnoticed(one_case("threads", which).set("WSTREE_BIND", "close"), 100);
}

TEST_P(OnEitherRuntime, PinnedForksAreUnnoticed) {
  expect_unnoticed(program("fork_and_go_on", {"--seed", "1"}).set("WSTREE_BIND", "close"), 100);
}

} // namespace
