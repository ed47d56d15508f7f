// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads start whose workers are pinned: it has the process's mask. And a program that has nothing to
// do with OpenMP starts threads and processes as it does without the library.
#include "placed.h"
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>

namespace {

using namespace wstree::test;
using ::testing::IsEmpty;

bool has_one_cpu() { return own_cpus().size() == 1; }

class Inherit : public testing::TestWithParam<const char*> {
protected:
  static Program heirs(std::vector<std::string> arguments = {}, std::string_view more = "") {
    Program program(std::string("heirs") + GetParam(), std::move(arguments));
    program.preload(more).set("OMP_SCHEDULE", "wstree").set("WSTREE_BIND", "close");
    return program.set("OMP_NUM_THREADS", "2");
  }

  static void expect_all_free(const Outcome& outcome) {
    const std::string all = text_of(own_cpus());
    const std::vector<std::string> ways = {"pthread_create", "std::thread",  "fork",   "fork+exec",
                                           "posix_spawn",    "posix_spawnp", "system", "popen"};
    for (const std::string who : {"opener", "worker", "after"})
      for (const std::string& way : ways)
        EXPECT_EQ(fact(outcome.out, who + " " + way), all) << who << " " << way << "\n" << outcome.text();
    for (const std::string who : {"opener", "after"}) {
      EXPECT_EQ(fact(outcome.out, who + " itself"), all);
      EXPECT_EQ(fact(outcome.out, who + " still"), all);
    }
    EXPECT_EQ(lines_of(outcome.out).back(), "end");
  }
};

INSTANTIATE_TEST_SUITE_P(Programs, Inherit, testing::Values("", "_gcc"),
                         [](const auto& each) { return each.index == 0 ? "Libomp" : "Libgomp"; });

TEST_P(Inherit, WhatAPinnedWorkerStartsIsNotPinned) {
  if (has_one_cpu()) GTEST_SKIP() << "no thread is pinned on one CPU";
  const Outcome outcome = heirs().run();
  expect_all_free(outcome);
  EXPECT_THAT(outcome.err, IsEmpty());
  const std::string place = fact(outcome.out, "worker itself");
  EXPECT_NE(place, text_of(own_cpus())) << "not pinned at all\n" << outcome.text();
  EXPECT_EQ(fact(outcome.out, "worker still"), place) << outcome.text();
}

TEST_P(Inherit, APinnedWorkerCountsAllProcessors) {
  const Outcome outcome = heirs().run();
  const std::string all = fact(outcome.out, "opener procs");
  EXPECT_THAT(all, testing::Not(IsEmpty()));
  EXPECT_EQ(fact(outcome.out, "worker procs"), all) << outcome.text();
  EXPECT_EQ(fact(outcome.out, "after procs"), all);
}

TEST_P(Inherit, WorksBesideAToolThatWrapsTheSameFunctions) {
  if (has_one_cpu()) GTEST_SKIP() << "no thread is pinned on one CPU";
  const std::string watcher = program_path("start_watcher.so");
  const std::string all_seen[] = {"watched pthread_create", "watched posix_spawn", "watched system",
                                  "watched popen"};
  for (const bool in_front : {false, true}) {
    Program program = heirs({}, in_front ? "" : watcher);
    if (in_front) program.set("LD_PRELOAD", watcher + " " + library_path());
    const Outcome outcome = program.run();
    expect_all_free(outcome);
    for (const std::string& line : all_seen) EXPECT_THAT(outcome.err, testing::HasSubstr(line));
  }
}

// --- programs without OpenMP

TEST(Starts, AreWhatTheyAreWithoutTheLibrary) {
  const Outcome native = Program("starts").run();
  ASSERT_TRUE(native.succeeded()) << native.text();
  EXPECT_EQ(Program("starts").preload().run().text(), native.text());
  EXPECT_EQ(
      Program("starts").preload().set("OMP_SCHEDULE", "wstree").set("WSTREE_BIND", "close").run().text(),
      native.text());
  const std::string watcher = program_path("start_watcher.so");
  const Outcome watched = Program("starts").set("LD_PRELOAD", watcher).run();
  EXPECT_EQ(Program("starts").preload(watcher).run().text(), watched.text());
}

} // namespace
