// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts real processes with an environment of their own, and says what came out of them.
#pragma once

#include "folder.h"
#include "registrations.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace wstree::test {

struct Launch {
  std::vector<std::string> command; ///< with the path of the executable in front
  std::map<std::string, std::string> environment;
  std::filesystem::path folder = {}; ///< to run in; empty: this one
  std::optional<uid_t> user = {};    ///< to run as, with the group of the same number; needs root
  std::vector<int> closed = {};      ///< descriptors that it starts without
};

struct Result {
  int wait_status = 0;
  std::string out, err;
  long peak_kib = 0; ///< most memory that it had at once

  /// Exit status; -1 if it died by a signal.
  [[nodiscard]] int status() const { return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1; }
  /// Signal that it died of; 0 if it exited.
  [[nodiscard]] int signal() const { return WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0; }
  /// The words behind `word` and a blank in lines of the output that begin so.
  [[nodiscard]] std::vector<std::string> facts(std::string_view word) const {
    std::vector<std::string> result;
    std::istringstream lines(out);
    const auto begin = std::string(word) + ' ';
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(begin)) result.push_back(line.substr(begin.size()));
    return result;
  }
  /// The value in a line "environment NAME=VALUE"; nothing if there is none.
  [[nodiscard]] std::optional<std::string> variable(std::string_view name) const {
    const auto begin = std::string(name) + '=';
    for (const auto& entry : facts("environment"))
      if (entry.starts_with(begin)) return entry.substr(begin.size());
    return std::nullopt;
  }
};

/// A running process with its output and errors in pipes and nothing to read. Killed by the destructor.
class Command {
public:
  static constexpr int k_not_started = 98; ///< exit status that no program of a test has

  explicit Command(Launch start) {
    // Everything that allocates happens before the fork.
    std::vector<std::string> variables;
    for (const auto& [name, value] : start.environment) variables.push_back(name + '=' + value);
    const auto argv = pointers(start.command), envp = pointers(variables);
    std::array<int, 2> out{}, err{};
    if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) give_up("pipe2");
    remove_empty_registrations(); // of earlier programs that ran into limits
    pid_ = ::fork();
    if (pid_ < 0) give_up("fork");
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that is cut off leaves nothing running
      const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
      bool ready = ::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(out[1], STDOUT_FILENO) >= 0 &&
                   ::dup2(err[1], STDERR_FILENO) >= 0;
      for (const int each : start.closed) ::close(each);
      ready = ready && (start.folder.empty() || ::chdir(start.folder.c_str()) == 0) &&
              (!start.user || (::setgid(*start.user) == 0 && ::setuid(*start.user) == 0));
      if (ready) ::execve(argv[0], argv.data(), envp.data());
      ::_exit(k_not_started);
    }
    ::close(out[1]);
    ::close(err[1]);
    out_ = out[0];
    err_ = err[0];
  }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command() {
    if (!wait_status_) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(out_);
    ::close(err_);
  }

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// Waits for the next complete line of the output.
  std::string read_line() {
    while (unread_.find('\n') == std::string::npos)
      if (!read_some(out_, unread_)) give_up("the output ended before the line did");
    const auto end = unread_.find('\n');
    auto line = unread_.substr(0, end);
    unread_.erase(0, end + 1);
    return line;
  }

  /// Waits until the process has stopped or ended; true if it has stopped.
  bool wait_for_stop() {
    int status = 0;
    if (::waitpid(pid_, &status, WUNTRACED) != pid_) give_up("waitpid");
    if (WIFSTOPPED(status)) return true;
    wait_status_ = status;
    return false;
  }

  /// Reads both pipes to their ends, that is until all processes that inherited them are gone. Waits for the
  /// process of the command.
  Result finish() {
    Result result;
    result.out = std::move(unread_);
    std::array<pollfd, 2> pipes{pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
    const std::array<std::string*, 2> texts{&result.out, &result.err};
    while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
      if (::poll(pipes.data(), pipes.size(), -1) < 0 && errno != EINTR) give_up("poll");
      for (std::size_t i = 0; i < pipes.size(); ++i) {
        // A negative descriptor is one that poll leaves out.
        if (pipes[i].revents != 0 && !read_some(pipes[i].fd, *texts[i])) pipes[i].fd = -1;
      }
    }
    if (!wait_status_) {
      int status = 0;
      rusage used{};
      while (::wait4(pid_, &status, 0, &used) != pid_)
        if (errno != EINTR) give_up("wait4");
      wait_status_ = status;
      result.peak_kib = used.ru_maxrss;
    }
    remove_empty_registrations();
    result.wait_status = *wait_status_;
    return result;
  }

private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
  }

  /// Appends the bytes that can be read; false at the end of the file.
  static bool read_some(int descriptor, std::string& text) {
    std::array<char, 4096> part{};
    const ssize_t got = ::read(descriptor, part.data(), part.size());
    if (got < 0) give_up("read");
    text.append(part.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;
  std::string unread_;
  std::optional<int> wait_status_;
};

} // namespace wstree::test
