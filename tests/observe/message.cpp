// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines on stderr, and new files.
#include "support.h"

#include "host_guard.h"
#include "message.h"
#include "report_file.h"
#include "write_fully.h"

#include <climits>
#include <sys/resource.h>

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

namespace wstree::observe::message_test {
namespace {

using namespace test;

bool is_pending(int signal) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, signal) == 1;
}

/// Lets stderr go into a pipe while it lives, and lets the library know.
struct StderrToPipe : StderrKeeper, Pipe {
  explicit StderrToPipe(int flags = 0) : Pipe(flags) {
    dup2(ends[1], STDERR_FILENO);
    remember_stderr();
  }
};

TEST(Say, WritesALineOfUtf8WithOneSystemCall) {
  const StderrToPipe packets(O_DIRECT); // each read gives what one write wrote
  say("one line");
  say("another");
  EXPECT_EQ(packets.read_some(), "one line\n");
  EXPECT_EQ(packets.read_some(), "another\n");
  say("a\tb \xc3\xa4");
  EXPECT_EQ(packets.read_some(), "a\tb \xc3\xa4\n");
  say("\ta\nb\x1b[2J\xff \xc3\xa4\t\t\xc2\x9b cut \xc3");
  EXPECT_EQ(packets.read_some(), "\ta?b?[2J? \xc3\xa4\t\t?? cut ?\n");
}

TEST(Say, IsMuteIfStderrWasClosedAtTheStart) {
  const TemporaryFolder folder;
  const StderrKeeper keeper;
  close(STDERR_FILENO);
  remember_stderr();
  StderrToFile::redirect(folder / "data"); // takes descriptor 2
  EXPECT_EQ(stderr_descriptor(), -1);
  say("lost");
  EXPECT_EQ(content_of(folder / "data"), "");
}

TEST(Say, IsMuteIfDescriptor2IsAnotherFileNow) {
  const TemporaryFolder folder;
  const StderrToFile captured(folder / "stderr");
  say("before");
  StderrToFile::redirect(folder / "data");
  EXPECT_EQ(stderr_descriptor(), -1);
  say("lost");
  EXPECT_EQ(content_of(folder / "data"), "");
  StderrToFile::redirect(folder / "stderr");
  EXPECT_EQ(stderr_descriptor(), STDERR_FILENO);
  say("after");
  EXPECT_EQ(captured.text(), "before\nafter\n");
}

TEST(Say, PreservesErrno) {
  const TemporaryFolder folder;
  const StderrToFile captured(folder / "stderr");
  errno = ENOTTY;
  remember_stderr();
  say("line");
  EXPECT_EQ(errno, ENOTTY);
  StderrToFile::redirect("/dev/full");
  remember_stderr();
  errno = ENOTTY;
  say("line");
  EXPECT_EQ(errno, ENOTTY);
}

TEST(Say, SurvivesAPipeWithoutReader) {
  StderrToPipe pipe;
  pipe.close_end(0);
  ASSERT_NE(signal(SIGPIPE, SIG_DFL), SIG_ERR);
  errno = ENOTTY;
  say("lost");
  EXPECT_EQ(errno, ENOTTY);
  EXPECT_FALSE(is_pending(SIGPIPE));
}

TEST(Say, WritesTheWholeLineInParts) {
  StderrToPipe pipe(O_NONBLOCK);
  fcntl(pipe.ends[0], F_SETFL, fcntl(pipe.ends[0], F_GETFL) & ~O_NONBLOCK);
  pipe.close_end(1);
  std::string line;
  for (int i = 0; line.size() < 300'000; ++i) line += std::to_string(i) + ' ';
  std::string seen;
  std::thread reader([&] {
    while (seen.size() < line.size() + 1) {
      const std::string some = pipe.read_some();
      if (some.empty()) break;
      seen += some;
    }
  });
  say(line);
  dup2(STDIN_FILENO, STDERR_FILENO); // the reader sees the end even if something is missing
  reader.join();
  EXPECT_EQ(seen, line + "\n");
}

TEST(Say, GivesUpOnAPipeThatStaysFull) {
  StderrToPipe pipe(O_NONBLOCK);
  const std::string filler(4096, 'x');
  while (write(pipe.ends[1], filler.data(), filler.size()) > 0) {
  }
  say("lost");
  std::string all;
  for (std::string some = pipe.read_some(); !some.empty(); some = pipe.read_some()) all += some;
  EXPECT_EQ(all.find("lost"), std::string::npos);
}

TEST(Say, IsNoCancellationPoint) {
  const TemporaryFolder folder;
  const StderrToFile captured(folder / "stderr");
  int state_after = -1;
  std::thread thread([&] {
    pthread_cancel(pthread_self()); // acts at the next cancellation point
    say("said by a thread that is to be cancelled");
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_after);
  });
  thread.join();
  EXPECT_EQ(state_after, PTHREAD_CANCEL_ENABLE);
  EXPECT_EQ(captured.text(), "said by a thread that is to be cancelled\n");
}

TEST(WriteFully, WaitsForAFullPipeOnceAndNotForEachLine) {
  const HostGuard guard;
  const Pipe pipe(O_NONBLOCK);
  char page[4096] = {};
  const auto fill = [&] {
    while (write(pipe.ends[1], page, sizeof page) > 0) {
    }
  };
  // How often the thread has slept.
  const auto waits = [&](int expected_error) {
    rusage before{}, after{};
    getrusage(RUSAGE_THREAD, &before);
    EXPECT_EQ(write_fully(pipe.ends[1], "x", "y"), expected_error);
    getrusage(RUSAGE_THREAD, &after);
    return after.ru_nvcsw - before.ru_nvcsw;
  };
  constexpr long k_waits = 5;
  fill();
  EXPECT_GE(waits(EAGAIN), k_waits);
  EXPECT_LT(waits(EAGAIN), k_waits);
  while (!pipe.read_some().empty()) {
  }
  EXPECT_LT(waits(0), k_waits);
  EXPECT_EQ(pipe.read_some(), "xy");
  fill();
  EXPECT_GE(waits(EAGAIN), k_waits) << "it has taken something since";
}

constexpr const char* k_rank_names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "MV2_COMM_WORLD_RANK", "SLURM_PROCID"};

TEST(RankText, KnowsTheLaunchersInOrder) {
  for (const char* name : k_rank_names) unsetenv(name);
  EXPECT_EQ(rank_text(), "0");
  for (auto name = std::rbegin(k_rank_names); name != std::rend(k_rank_names); ++name) {
    const auto number = std::to_string(100 + (name - std::rbegin(k_rank_names)));
    setenv(*name, number.c_str(), 1);
    EXPECT_EQ(rank_text(), number) << *name;
  }
  for (const char* name : k_rank_names) unsetenv(name);
  setenv("SLURM_PROCID", "5", 1);
  for (const char* value : {"", "x", "-1", "1/2", "../../etc/passwd", "123456789012345678901234567890"}) {
    setenv("PMI_RANK", value, 1);
    EXPECT_EQ(rank_text(), "5") << value;
  }
  for (const char* name : k_rank_names) unsetenv(name);
}

struct Opened {
  OpenFile file;
  std::string path;
};

Opened open_and_write(const std::string& wanted, const std::string& content) {
  Path path(wanted);
  const OpenFile file = open_new_file(path);
  if (file.descriptor >= 0) {
    EXPECT_NE(fcntl(file.descriptor, F_GETFD) & FD_CLOEXEC, 0) << wanted;
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

TEST(OpenNewFile, NeverOverwrites) {
  const TemporaryFolder folder;
  folder.write("out", "old");
  folder.write("out.2", "old 2");
  EXPECT_EQ(open_and_write(folder / "out", "new").path, folder / "out.1");
  EXPECT_EQ(open_and_write(folder / "out", "newer").path, folder / "out.3");
  EXPECT_EQ(content_of(folder / "out"), "old");
  EXPECT_EQ(content_of(folder / "out.1"), "new");
  EXPECT_EQ(content_of(folder / "out.2"), "old 2");
  EXPECT_EQ(content_of(folder / "out.3"), "newer");
}

TEST(OpenNewFile, FollowsNoLink) {
  const TemporaryFolder folder;
  folder.write("target", "old");
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
  // And a file that takes the place of the pipe is not written.
  folder.write("victim", "old");
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
} // namespace wstree::observe::message_test
