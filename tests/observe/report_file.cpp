// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include "report_file.h"
#include "support.h"

namespace {

/// A move of another process, made once, right after a file was looked at by its name.
std::function<void()> g_after_look;

} // namespace

// Stands in front of the C library's.
extern "C" int stat(const char* path, struct stat* status) noexcept {
  const int result = fstatat(AT_FDCWD, path, status, 0);
  const int error = errno;
  if (auto move = std::exchange(g_after_look, nullptr)) move();
  errno = error;
  return result;
}

namespace wstree::observe::report_file_test {
namespace {

using namespace test;

constexpr const char* k_rank_names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "MV2_COMM_WORLD_RANK", "SLURM_PROCID"};

class RankText : public testing::Test {
protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (const char* name : k_rank_names) unsetenv(name);
  }
};

TEST_F(RankText, IsZeroWithoutALauncher) { EXPECT_EQ(rank_text(), "0"); }

TEST_F(RankText, KnowsTheLaunchersInOrder) {
  for (auto name = std::rbegin(k_rank_names); name != std::rend(k_rank_names); ++name) {
    const auto number = std::to_string(100 + (name - std::rbegin(k_rank_names)));
    setenv(*name, number.c_str(), 1);
    EXPECT_EQ(rank_text(), number) << *name;
  }
}

TEST_F(RankText, IgnoresWhatIsNoNumber) {
  setenv("SLURM_PROCID", "5", 1);
  for (const char* value : {"", "x", "-1", "1/2", "../../etc/passwd", "123456789012345678901234567890"}) {
    setenv("PMI_RANK", value, 1);
    EXPECT_EQ(rank_text(), "5") << value;
  }
}

struct Opened {
  OpenFile file;
  std::string path;
};

Opened open_and_write(const std::string& wanted, const std::string& content) {
  Path path(wanted);
  const OpenFile file = open_new_file(path);
  if (file.descriptor >= 0) {
    EXPECT_EQ(write(file.descriptor, content.data(), content.size()), static_cast<ssize_t>(content.size()));
    close(file.descriptor);
  }
  return {file, std::string(path.view())};
}

TEST(OpenNewFile, CreatesTheFileAndItsFolders) {
  const TemporaryFolder folder;
  const auto [file, path] = open_and_write(folder / "a/b//c/out.txt", "text");
  EXPECT_EQ(file.error, 0);
  EXPECT_EQ(path, folder / "a/b//c/out.txt");
  EXPECT_EQ(content_of(path), "text");
}

TEST(OpenNewFile, ClosesTheFileOnExec) {
  const TemporaryFolder folder;
  Path path(folder / "out");
  const OpenFile file = open_new_file(path);
  ASSERT_GE(file.descriptor, 0);
  EXPECT_NE(fcntl(file.descriptor, F_GETFD) & FD_CLOEXEC, 0);
  close(file.descriptor);
}

TEST(OpenNewFile, NeverOverwrites) {
  const TemporaryFolder folder;
  put_content(folder / "out", "old");
  put_content(folder / "out.2", "old 2");
  EXPECT_EQ(open_and_write(folder / "out", "new").path, folder / "out.1");
  EXPECT_EQ(open_and_write(folder / "out", "newer").path, folder / "out.3");
  EXPECT_EQ(content_of(folder / "out"), "old");
  EXPECT_EQ(content_of(folder / "out.1"), "new");
  EXPECT_EQ(content_of(folder / "out.2"), "old 2");
  EXPECT_EQ(content_of(folder / "out.3"), "newer");
}

TEST(OpenNewFile, FollowsNoLink) {
  const TemporaryFolder folder;
  put_content(folder / "target", "old");
  ASSERT_EQ(symlink((folder / "target").c_str(), (folder / "link").c_str()), 0);
  ASSERT_EQ(symlink((folder / "nowhere").c_str(), (folder / "dangling").c_str()), 0);
  EXPECT_EQ(open_and_write(folder / "link", "new").path, folder / "link.1");
  EXPECT_EQ(content_of(folder / "target"), "old");
  EXPECT_EQ(open_and_write(folder / "dangling", "new").path, folder / "dangling.1");
  EXPECT_FALSE(std::filesystem::exists(folder / "nowhere"));
}

TEST(OpenNewFile, GoesOnWhereAnOpenDescriptorIs) {
  const TemporaryFolder folder;
  for (const std::string below : {"/dev/fd/", "/proc/self/fd/"}) {
    const int log = open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ASSERT_EQ(write(log, "old ", 4), 4);
    const auto opened = open_and_write(below + std::to_string(log), "new");
    ASSERT_EQ(write(log, " last", 5), 5);
    close(log);
    EXPECT_EQ(opened.file.error, 0);
    EXPECT_EQ(content_of(folder / "log"), "old new last");
    EXPECT_EQ(open_and_write(below + std::to_string(log), "x").file.error, EBADF);
  }
  // Neither a number, nor one that a descriptor has.
  for (const char* name : {"/dev/fd/x", "/dev/fd/1x", "/dev/fd/-1", "/dev/fd/99999999999", "/dev/fd/"})
    EXPECT_LT(open_and_write(name, "x").file.descriptor, 0) << name;
}

TEST(OpenNewFile, KnowsTheStandardStreams) {
  const TemporaryFolder folder;
  for (const auto& [name, number] :
       {std::pair("/dev/stdout", STDOUT_FILENO), {"/dev/stderr", STDERR_FILENO}}) {
    const int before = fcntl(number, F_DUPFD_CLOEXEC, 0);
    const int log = open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ASSERT_EQ(write(log, "old ", 4), 4);
    dup2(log, number);
    const auto opened = open_and_write(name, "new");
    EXPECT_EQ(write(number, " last", 5), 5);
    dup2(before, number);
    close(log);
    close(before);
    EXPECT_EQ(opened.file.error, 0) << name;
    EXPECT_EQ(content_of(folder / "log"), "old new last") << name;
  }
}

TEST(OpenNewFile, DoesNotWaitForTheReaderOfAPipe) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(open_and_write(folder / "fifo", "text").file.error, ENXIO);
  const int reader = open((folder / "fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  EXPECT_EQ(open_and_write(folder / "fifo", "text").file.error, 0);
  char text[8] = {};
  EXPECT_EQ(read(reader, text, sizeof text), 4);
  close(reader);
}

TEST(OpenNewFile, WritesToNoFileThatTakesThePlaceOfAPipe) {
  const TemporaryFolder folder;
  put_content(folder / "victim", "old");
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  const int reader = open((folder / "fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  g_after_look = [&] {
    unlink((folder / "fifo").c_str());
    EXPECT_EQ(symlink((folder / "victim").c_str(), (folder / "fifo").c_str()), 0);
  };
  EXPECT_EQ(open_and_write(folder / "fifo", "text").file.error, 0);
  g_after_look = nullptr;
  close(reader);
  EXPECT_EQ(content_of(folder / "victim"), "old");
}

} // namespace
} // namespace wstree::observe::report_file_test
