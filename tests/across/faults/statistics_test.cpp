// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures that cannot be written: one line says so, the program ends as it does without them.
#include "faulty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace {

using namespace wstree::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<std::string> k_arguments{"first", "--status", "7"};

class Unwritable : public testing::TestWithParam<std::string> {
protected:
  static Program measured(const std::string& path) {
    return with_tree(GetParam(), k_arguments).set("WSTREE_STATS", "json=" + path);
  }
  static void expect_one_line(const Outcome& outcome, const std::string& cause) {
    EXPECT_EQ(outcome.status, 7) << outcome.text();
    EXPECT_EQ(outcome.out, native_run(GetParam(), k_arguments).out);
    EXPECT_THAT(lines_of(outcome.err),
                ElementsAre(testing::AllOf(testing::StartsWith("wstree: WSTREE_STATS cannot write '"),
                                           testing::EndsWith("': " + cause))))
        << outcome.text();
  }
};

INSTANTIATE_TEST_SUITE_P(Faults, Unwritable, testing::ValuesIn(k_builds),
                         [](const auto& each) { return each.param; });

TEST_P(Unwritable, Paths) {
  const TemporaryFolder folder;
  expect_one_line(measured("/dev/full").run(), "No space left on device");
  expect_one_line(measured(folder / "").run(), "Is a directory");
  expect_one_line(measured("/proc/self/nonsense/figures").run(), "No such file or directory");
  expect_one_line(measured("/dev/null/figures").run(), "Not a directory");
  expect_one_line(measured(folder / std::string(300, 'x')).run(), "File name too long");
  if (geteuid() != 0) return;
  ASSERT_EQ(chmod((folder / "").c_str(), 0700), 0);
  const Outcome as_nobody = measured(folder / "figures").user(65534).run();
  if (as_nobody.status == 127 || as_nobody.err.find("shared") != std::string::npos)
    GTEST_SKIP() << "user 65534 may not enter the build folder";
  expect_one_line(as_nobody, "Permission denied");
}

TEST_P(Unwritable, PathsThatAreTooLongForTheVariable) {
  const TemporaryFolder folder;
  std::string path = folder / "";
  while (path.size() < 6000) path += "folder/";
  const Outcome outcome = measured(path + "figures").run();
  EXPECT_EQ(outcome.status, 7) << outcome.text();
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.text();
  EXPECT_THAT(folder.files(), IsEmpty());
}

TEST_P(Unwritable, StrangePatternsAreNames) {
  const TemporaryFolder folder;
  const Outcome outcome = measured(folder / "%z%%%").run();
  EXPECT_EQ(outcome.status, 7) << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(folder.files(), ElementsAre(folder / "%z%%"));
}

/// The signal that the system sends with it would end the program.
TEST_P(Unwritable, BeyondTheLimitOfFileSizes) {
  const TemporaryFolder folder;
  const Outcome outcome = with_tree(GetParam(), {"--bytes", "0", "first", "--status", "7"})
                              .set("WSTREE_STATS", "json=" + (folder / "figures"))
                              .run();
  expect_one_line(outcome, "File too large");
}

TEST_P(Unwritable, OnAFullDisk) {
  const TemporaryFolder folder;
  const std::string disk = folder / "disk";
  ASSERT_EQ(mkdir(disk.c_str(), 0777), 0);
  const std::string mount = "mount -t tmpfs -o size=4k none " + disk;
  if (!Program("/bin/sh", {"-c", "unshare -m sh -c '" + mount + "'"}).run().succeeded())
    GTEST_SKIP() << "mounting is not permitted here";
  const std::string command =
      "LD_PRELOAD= exec unshare -m sh -c '" + mount + " && head -c 4096 /dev/zero > " + disk +
      "/full && LD_PRELOAD=" + library_path() + " exec " + program_path(GetParam()) + " first --status 7'";
  const Outcome outcome = Program("/bin/sh", {"-c", command})
                              .set("OMP_SCHEDULE", "wstree")
                              .set("WSTREE_STATS", "json=" + disk + "/figures")
                              .run();
  expect_one_line(outcome, "No space left on device");
}

class Stderr : public testing::TestWithParam<std::tuple<std::string, const char*>> {};

INSTANTIATE_TEST_SUITE_P(Faults, Stderr,
                         testing::Combine(testing::ValuesIn(k_builds),
                                          testing::Values("full", "abandoned", "missing", "device")),
                         [](const auto& each) {
                           return std::get<0>(each.param) + "_" + std::get<1>(each.param);
                         });

/// The figures, the settings and a complaint go there, and stderr takes none of them.
TEST_P(Stderr, ThatTakesNothing) {
  const auto& [build, kind] = GetParam();
  const Outcome outcome = with_tree("with_stderr", {kind, program_path(build), "first", "--status", "7"})
                              .set("WSTREE_STATS", "text")
                              .set("WSTREE_VERBOSE", "1")
                              .set("WSTREE_BATCH", "nonsense")
                              .run();
  EXPECT_EQ(outcome.status, 7) << outcome.text();
  EXPECT_EQ(outcome.out, native_run(build, k_arguments).out);
  EXPECT_THAT(outcome.err, IsEmpty());
}

} // namespace
