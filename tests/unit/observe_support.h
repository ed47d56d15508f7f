// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WSTREE_TESTS_UNIT_OBSERVE_SUPPORT_H
#define WSTREE_TESTS_UNIT_OBSERVE_SUPPORT_H

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "message.h"

namespace wstree::observe::test {

/// A folder that is removed at the end of the test.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = testing::TempDir() + "/wstree-XXXXXX";
    path_ = mkdtemp(pattern.data()) != nullptr ? pattern : std::string();
    EXPECT_FALSE(path_.empty());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::string string() const { return path_; }

private:
  std::string path_;
};

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put_content(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

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

} // namespace wstree::observe::test

#endif
