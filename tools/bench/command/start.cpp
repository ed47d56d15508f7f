// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start.h"

#include "support/launch.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wstree::cli::bench {

namespace {

void write_all(int to, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(to, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return; // a full disk or a closed pipe; figures go to a file of their own
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

bool& interruption() {
  static bool happened = false;
  return happened;
}

/// Standard output goes to a file while it lives.
class Redirection {
public:
  explicit Redirection(const std::filesystem::path& file) {
    if (file.empty()) return;
    std::fflush(stdout);
    const int to = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (to < 0) {
      error_ = errno;
      return;
    }
    saved_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    ::dup2(to, STDOUT_FILENO);
    ::close(to);
  }
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;
  ~Redirection() {
    if (saved_ < 0) return;
    ::dup2(saved_, STDOUT_FILENO);
    ::close(saved_);
  }
  [[nodiscard]] int error() const { return error_; }

private:
  int saved_ = -1;
  int error_ = 0;
};

} // namespace

Transcript::Transcript(const std::filesystem::path& file) {
  const int to_file = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  std::array<int, 2> ends{-1, -1};
  if (to_file < 0 || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
    error_ = errno;
    if (to_file >= 0) ::close(to_file);
    return;
  }
  std::fflush(stdout);
  output_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  ::dup2(ends[1], STDOUT_FILENO);
  ::close(ends[1]);
  // Signals are for the thread that waits for the children.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  copier_ = std::thread(&Transcript::copy, this, ends[0], to_file);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Transcript::~Transcript() {
  if (!copier_.joinable()) return;
  std::fflush(stdout);
  ::dup2(output_, STDOUT_FILENO); // closes the last end to write to
  copier_.join();
  ::close(output_);
}

void Transcript::copy(int from, int to_file) const {
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t got = ::read(from, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    write_all(output_, part.data(), static_cast<std::size_t>(got));
    write_all(to_file, part.data(), static_cast<std::size_t>(got));
  }
  ::close(from);
  ::close(to_file);
}

std::string run_to_end(Command& command) {
  std::fflush(stdout);
  const Redirection redirection(command.output);
  if (redirection.error() != 0)
    return fmt::format("{} cannot be written: {}", command.output.string(),
                       std::strerror(redirection.error()));
  const auto ending = supervise(command.arguments, command.environment);
  if (ending.error != 0) return std::strerror(ending.error);
  const int signal = WIFSIGNALED(ending.wait_status) ? WTERMSIG(ending.wait_status) : 0;
  if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) interruption() = true;
  if (signal != 0) return fmt::format("died of signal {}", signal);
  if (WEXITSTATUS(ending.wait_status) != 0) return fmt::format("status {}", WEXITSTATUS(ending.wait_status));
  return {};
}

bool interrupted() { return interruption(); }

} // namespace wstree::cli::bench
