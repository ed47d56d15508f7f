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

Program measured(const std::string& build, const std::string& path) {
  return with_tree(build, k_arguments).set("WSTREE_STATS", "json=" + path);
}
void expect_one_line(const std::string& build, const Outcome& outcome, const std::string& cause) {
  EXPECT_EQ(outcome.status, 7) << outcome.text();
  EXPECT_EQ(outcome.out, native_run(build, k_arguments).out);
  EXPECT_THAT(lines_of(outcome.err),
              ElementsAre(testing::AllOf(testing::StartsWith("wstree: WSTREE_STATS cannot write '"),
                                         testing::EndsWith("': " + cause))))
      << outcome.text();
}

TEST(Unwritable, Paths) {
  for (const std::string& build : k_builds) {
    const TemporaryFolder folder;
    const std::pair<std::string, const char*> cases[] = {
        {"/dev/full", "No space left on device"},
        {folder / "", "Is a directory"},
        {"/proc/self/nonsense/figures", "No such file or directory"},
        {"/dev/null/figures", "Not a directory"},
        {folder / std::string(300, 'x'), "File name too long"}};
    for (const auto& [path, cause] : cases) expect_one_line(build, measured(build, path).run(), cause);
    std::string path = folder / "";
    while (path.size() < 6000) path += "folder/";
    const Outcome too_long = measured(build, path + "figures").run(); // for the variable
    EXPECT_EQ(too_long.status, 7) << too_long.text();
    EXPECT_EQ(lines_of(too_long.err).size(), 1U) << too_long.text();
    EXPECT_THAT(folder.files(), IsEmpty());
    const Outcome pattern = measured(build, folder / "%z%%%").run(); // strange ones are names
    EXPECT_EQ(pattern.status, 7) << pattern.text();
    EXPECT_THAT(pattern.err, IsEmpty());
    EXPECT_THAT(folder.files(), ElementsAre(folder / "%z%%"));
  }
}

TEST(Unwritable, FoldersOfOthers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root becomes another user";
  const TemporaryFolder folder;
  ASSERT_EQ(chmod((folder / "").c_str(), 0700), 0);
  for (const std::string& build : k_builds) {
    const Outcome as_nobody = measured(build, folder / "figures").user(65534).run();
    if (as_nobody.status == 127 || as_nobody.err.find("shared") != std::string::npos)
      GTEST_SKIP() << "user 65534 may not enter the build folder";
    expect_one_line(build, as_nobody, "Permission denied");
  }
}

/// The signal that the system sends with it would end the program.
TEST(Unwritable, BeyondTheLimitOfFileSizes) {
  const TemporaryFolder folder;
  for (const std::string& build : k_builds) {
    const Outcome outcome = with_tree(build, {"--bytes", "0", "first", "--status", "7"})
                                .set("WSTREE_STATS", "json=" + (folder / "figures"))
                                .run();
    expect_one_line(build, outcome, "File too large");
  }
}

TEST(Unwritable, OnAFullDisk) {
  const TemporaryFolder folder;
  const std::string disk = folder / "disk";
  ASSERT_EQ(mkdir(disk.c_str(), 0777), 0);
  const std::string mount = "mount -t tmpfs -o size=4k none " + disk;
  if (!Program("/bin/sh", {"-c", "unshare -m sh -c '" + mount + "'"}).run().succeeded())
    GTEST_SKIP() << "mounting is not permitted here";
  for (const std::string& build : k_builds) {
    const std::string command =
        "LD_PRELOAD= exec unshare -m sh -c '" + mount + " && head -c 4096 /dev/zero > " + disk +
        "/full && LD_PRELOAD=" + library_path() + " exec " + program_path(build) + " first --status 7'";
    const Outcome outcome = Program("/bin/sh", {"-c", command})
                                .set("OMP_SCHEDULE", "wstree")
                                .set("WSTREE_STATS", "json=" + disk + "/figures")
                                .run();
    expect_one_line(build, outcome, "No space left on device");
  }
}

/// The figures, the settings and a complaint go there, and stderr takes none of them.
TEST(Stderr, ThatTakesNothing) {
  for (const std::string& build : k_builds)
    for (const char* kind : {"full", "abandoned", "missing", "device"}) {
      const Outcome outcome = with_tree("with_stderr", {kind, program_path(build), "first", "--status", "7"})
                                  .set("WSTREE_STATS", "text")
                                  .set("WSTREE_VERBOSE", "1")
                                  .set("WSTREE_BATCH", "nonsense")
                                  .run();
      EXPECT_EQ(outcome.status, 7) << outcome.text();
      EXPECT_EQ(outcome.out, native_run(build, k_arguments).out);
      EXPECT_THAT(outcome.err, IsEmpty()) << kind;
    }
}

} // namespace
