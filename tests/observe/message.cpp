// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <cerrno>
#include <csignal>
#include <pthread.h>
#include <string>
#include <sys/resource.h>
#include <thread>

#include <gtest/gtest.h>

#include "host_guard.h"
#include "message.h"
#include "support.h"
#include "write_fully.h"

namespace wstree::observe::message_test {
namespace {

using namespace test;

bool is_pending(int signal) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, signal) == 1;
}

TEST(Say, WritesALine) {
  const TemporaryFolder folder;
  const StderrToFile captured(folder / "stderr");
  say("first");
  say("");
  say("second");
  EXPECT_EQ(captured.text(), "first\n\nsecond\n");
}

TEST(Say, WritesALineWithOneSystemCall) {
  const StderrKeeper keeper;
  const Pipe packets(O_DIRECT); // each read gives what one write wrote
  dup2(packets.ends[1], STDERR_FILENO);
  remember_stderr();
  say("one line");
  say("another");
  EXPECT_EQ(packets.read_some(), "one line\n");
  EXPECT_EQ(packets.read_some(), "another\n");
}

TEST(Say, WritesUtf8Only) {
  const StderrKeeper keeper;
  const Pipe packets(O_DIRECT); // each read gives what one write wrote
  dup2(packets.ends[1], STDERR_FILENO);
  remember_stderr();
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
  const StderrKeeper keeper;
  Pipe pipe;
  dup2(pipe.ends[1], STDERR_FILENO);
  remember_stderr();
  pipe.close_read();
  ASSERT_NE(signal(SIGPIPE, SIG_DFL), SIG_ERR);
  errno = ENOTTY;
  say("lost");
  EXPECT_EQ(errno, ENOTTY);
  EXPECT_FALSE(is_pending(SIGPIPE));
}

TEST(Say, WritesTheWholeLineInParts) {
  const StderrKeeper keeper;
  Pipe pipe(O_NONBLOCK);
  const int flags = fcntl(pipe.ends[0], F_GETFL);
  fcntl(pipe.ends[0], F_SETFL, flags & ~O_NONBLOCK);
  dup2(pipe.ends[1], STDERR_FILENO);
  pipe.close_write();
  remember_stderr();
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
  const StderrKeeper keeper;
  Pipe pipe(O_NONBLOCK);
  dup2(pipe.ends[1], STDERR_FILENO);
  remember_stderr();
  const std::string filler(4096, 'x');
  while (write(pipe.ends[1], filler.data(), filler.size()) > 0) {
  }
  say("lost");
  std::string all;
  for (std::string some = pipe.read_some(); !some.empty(); some = pipe.read_some()) all += some;
  EXPECT_EQ(all.find("lost"), std::string::npos);
}

std::atomic<int> g_interruptions{0};

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
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  char page[4096] = {};
  const auto fill = [&] {
    while (write(ends[1], page, sizeof page) > 0) {
    }
  };
  const auto drain = [&] {
    while (read(ends[0], page, sizeof page) > 0) {
    }
  };
  // How often the thread has slept.
  const auto waits = [&](int expected_error) {
    rusage before{}, after{};
    getrusage(RUSAGE_THREAD, &before);
    EXPECT_EQ(write_fully(ends[1], "x", "y"), expected_error);
    getrusage(RUSAGE_THREAD, &after);
    return after.ru_nvcsw - before.ru_nvcsw;
  };
  constexpr long k_waits = 5;
  fill();
  EXPECT_GE(waits(EAGAIN), k_waits);
  EXPECT_LT(waits(EAGAIN), k_waits);
  drain();
  EXPECT_LT(waits(0), k_waits);
  EXPECT_EQ(read(ends[0], page, sizeof page), 2);
  fill();
  EXPECT_GE(waits(EAGAIN), k_waits) << "it has taken something since";
  close(ends[0]);
  close(ends[1]);
}

} // namespace
} // namespace wstree::observe::message_test
