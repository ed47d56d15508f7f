// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command.h"

#include "registrations.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace wstree::test {

namespace {

namespace fs = std::filesystem;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

/// Appends what can be read; false at the end of the file.
bool read_some(int descriptor, std::string& text) {
  std::array<char, 4096> part{};
  const ssize_t got = ::read(descriptor, part.data(), part.size());
  if (got < 0) fail("read");
  text.append(part.data(), static_cast<std::size_t>(got));
  return got > 0;
}

} // namespace

std::map<std::string, std::string> Start::default_environment() {
  return {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
          {"WSTREE_LIBRARY", CLI_STAND_IN},
          // For a wstree that is built with this sanitizer and started with libraries preloaded.
          {"ASAN_OPTIONS", "verify_asan_link_order=0"}};
}

int Result::status() const { return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1; }
int Result::signal() const { return WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0; }

std::vector<std::string> Result::facts(std::string_view word) const {
  std::vector<std::string> result;
  std::istringstream lines(out);
  const auto begin = std::string(word) + ' ';
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(begin)) result.push_back(line.substr(begin.size()));
  }
  return result;
}

std::optional<std::string> Result::variable(std::string_view name) const {
  const auto begin = std::string(name) + '=';
  for (const auto& entry : facts("environment")) {
    if (entry.starts_with(begin)) return entry.substr(begin.size());
  }
  return std::nullopt;
}

Command::Command(const Start& start) {
  // Everything that allocates happens before the fork.
  std::vector<std::string> arguments{start.executable.string()};
  arguments.insert(arguments.end(), start.arguments.begin(), start.arguments.end());
  std::vector<std::string> environment;
  for (const auto& [name, value] : start.environment) environment.push_back(name + '=' + value);
  const auto argv = pointers(arguments);
  const auto envp = pointers(environment);
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) fail("pipe2");
  remove_empty_registrations(); // of earlier programs that ran into limits
  pid_ = ::fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that is cut off leaves nothing running
    const int nothing = ::open("/dev/null", O_RDONLY);
    const bool ready = ::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(out[1], STDOUT_FILENO) >= 0 &&
                       ::dup2(err[1], STDERR_FILENO) >= 0 &&
                       (start.folder.empty() || ::chdir(start.folder.c_str()) == 0) &&
                       (!start.user || (::setgid(*start.user) == 0 && ::setuid(*start.user) == 0));
    if (ready) ::execve(argv[0], argv.data(), envp.data());
    ::_exit(98); // no command ends with this one
  }
  ::close(out[1]);
  ::close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

Command::~Command() {
  if (!wait_status_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(out_);
  ::close(err_);
}

std::string Command::read_line() {
  while (unread_.find('\n') == std::string::npos) {
    if (!read_some(out_, unread_))
      throw std::runtime_error("the output ended before the line did: " + unread_);
  }
  const auto end = unread_.find('\n');
  auto line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

bool Command::wait_for_stop() {
  int status = 0;
  if (::waitpid(pid_, &status, WUNTRACED) != pid_) fail("waitpid");
  if (WIFSTOPPED(status)) return true;
  wait_status_ = status;
  return false;
}

Result Command::finish() {
  Result result;
  result.out = std::move(unread_);
  std::array<pollfd, 2> pipes{pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
  const std::array<std::string*, 2> texts{&result.out, &result.err};
  while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
    if (::poll(pipes.data(), pipes.size(), -1) < 0) fail("poll");
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      // A negative descriptor is one that poll leaves out.
      if (pipes[i].revents != 0 && !read_some(pipes[i].fd, *texts[i])) pipes[i].fd = -1;
    }
  }
  if (!wait_status_) {
    int status = 0;
    if (::waitpid(pid_, &status, 0) != pid_) fail("waitpid");
    wait_status_ = status;
  }
  result.wait_status = *wait_status_;
  return result;
}

Result run(const Start& start) { return Command(start).finish(); }

Result wstree(std::vector<std::string> arguments) { return run({.arguments = std::move(arguments)}); }

Result run_with_real_library(std::vector<std::string> arguments,
                             const std::map<std::string, std::string>& more) {
  Start start{.arguments = std::move(arguments)};
  start.environment.erase("WSTREE_LIBRARY"); // the command finds the one beside it
  start.environment["OMP_NUM_THREADS"] = "2";
  for (const auto& [name, value] : more) start.environment[name] = value;
  return run(start);
}

std::string target(std::string_view name) {
  return (fs::path(CLI_TARGETS) / ("cli_" + std::string(name))).string();
}

TemporaryFolder::TemporaryFolder() {
  auto name = (fs::temp_directory_path() / "wstree-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) fail("mkdtemp");
  path_ = name;
  fs::permissions(path_, fs::perms{0755});
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(std::string_view name, std::string_view text,
                                   fs::perms permissions) const {
  const auto path = path_ / name;
  std::ofstream(path, std::ios::binary) << text;
  fs::permissions(path, permissions);
  return path.string();
}

std::string TemporaryFolder::open_to_all() const {
  const auto folder = path_ / "open";
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms{0777});
  return folder.string();
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace wstree::test
