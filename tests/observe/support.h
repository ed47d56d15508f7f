// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "folder.h"
#include "host_guard.h"
#include "message.h"
#include "report_writer.h"

namespace wstree::observe::test {

using wstree::test::TemporaryFolder;

inline std::string content_of(const std::string& path) { return wstree::test::contents(path); }

/// Puts the real stderr back at the end of the test and lets the library know.
class StderrKeeper {
public:
  StderrKeeper() : kept_(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10)) {}
  ~StderrKeeper() {
    dup2(kept_, STDERR_FILENO);
    close(kept_);
    remember_stderr();
  }
  StderrKeeper(const StderrKeeper&) = delete;
  StderrKeeper& operator=(const StderrKeeper&) = delete;

private:
  int kept_;
};

/// Lets stderr go to `path` while it lives, and lets the library know.
class StderrToFile {
public:
  explicit StderrToFile(const std::string& path) : path_(path) {
    redirect(path);
    remember_stderr();
  }
  /// Makes descriptor 2 another file behind the library's back.
  static void redirect(const std::string& path) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ASSERT_GE(file, 0) << path;
    dup2(file, STDERR_FILENO);
    if (file != STDERR_FILENO) close(file);
  }
  std::string text() const { return content_of(path_); }

private:
  StderrKeeper keeper_;
  std::string path_;
};

/// A pipe whose ends are closed at the end of the test at the latest.
struct Pipe {
  explicit Pipe(int flags = 0) { EXPECT_EQ(pipe2(ends, O_CLOEXEC | flags), 0); }
  ~Pipe() {
    for (const int end : {0, 1}) close_end(end);
  }
  void close_end(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  std::string read_some() const {
    char buffer[65536];
    const ssize_t size = read(ends[0], buffer, sizeof buffer);
    return {buffer, static_cast<std::size_t>(size > 0 ? size : 0)};
  }
  int ends[2] = {-1, -1};
};

/// Runs `body` in a child process and returns its wait status; the exit status is 0 if the body returns.
template <class Body> int run_in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

inline testing::AssertionResult ended_well(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return testing::AssertionSuccess();
  if (WIFSIGNALED(status)) return testing::AssertionFailure() << "killed by signal " << WTERMSIG(status);
  return testing::AssertionFailure() << "exit status " << WEXITSTATUS(status);
}

/// What `write` writes through a ReportWriter.
template <class Write> std::string written(Write write) {
  const TemporaryFolder folder;
  const int file = open((folder / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  {
    const HostGuard guard;
    ReportWriter out(file);
    write(out);
    EXPECT_EQ(out.flush(), 0);
  }
  close(file);
  return content_of(folder / "out");
}

} // namespace wstree::observe::test
