// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process.h"

#include "registrations.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace wstree::test {
namespace {

[[noreturn]] void give_up(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& each : strings) result.push_back(each.data());
  result.push_back(nullptr);
  return result;
}

/// Reads both pipes until no process can write to them any more.
void read_all(const std::array<int, 2>& pipes, const std::array<std::string*, 2>& into) {
  std::array<pollfd, 2> waiting{{{pipes[0], POLLIN, 0}, {pipes[1], POLLIN, 0}}};
  int open = 2;
  while (open > 0) {
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) give_up("poll");
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      std::array<char, 4096> buffer{};
      const ssize_t got = read(waiting[i].fd, buffer.data(), buffer.size());
      if (got > 0) {
        into[i]->append(buffer.data(), static_cast<std::size_t>(got));
      } else {
        waiting[i].fd = -1;
        --open;
      }
    }
  }
}

} // namespace

std::string Outcome::text() const {
  std::ostringstream text;
  text << "status " << status << ", signal " << signal << "\nstdout:\n" << out << "stderr:\n" << err;
  return text.str();
}

Program::Program(std::string_view name, std::vector<std::string> arguments) : command_(std::move(arguments)) {
  command_.insert(command_.begin(), program_path(name));
  environment_ = {{"PATH", "/usr/bin:/bin"}, {"OMP_NUM_THREADS", "4"}, {"OMP_WAIT_POLICY", "passive"}};
  libomp(default_libomp());
}

Program& Program::set(const std::string& variable, const std::string& value) {
  environment_[variable] = value;
  return *this;
}

Program& Program::libomp(std::string_view build) {
  return set("LD_LIBRARY_PATH", std::string(WSTREE_TEST_LIBOMP_DIR) + "/" + std::string(build));
}

Program& Program::preload(std::string_view more) {
  return set("LD_PRELOAD", more.empty() ? library_path() : library_path() + ":" + std::string(more));
}

Program& Program::closed(int descriptor) {
  closed_.push_back(descriptor);
  return *this;
}

Program& Program::user(unsigned id) {
  user_ = id;
  return *this;
}

Outcome Program::run() const {
  std::vector<std::string> command = command_, environment;
  for (const auto& [name, value] : environment_) environment.push_back(name + "=" + value);
  const std::vector<char*> argv = pointers(command), envp = pointers(environment);
  std::array<int, 2> out{}, err{};
  if (pipe(out.data()) != 0 || pipe(err.data()) != 0) give_up("pipe");
  remove_empty_registrations(); // the program may start others
  const pid_t child = fork();
  if (child < 0) give_up("fork");
  if (child == 0) {
    dup2(out[1], 1);
    dup2(err[1], 2);
    for (const int each : {out[0], out[1], err[0], err[1]}) close(each);
    for (const int each : closed_) close(each);
    if (user_ != 0 && (setgid(user_) != 0 || setuid(user_) != 0)) _exit(126);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  Outcome outcome;
  read_all({out[0], err[0]}, {&outcome.out, &outcome.err});
  close(out[0]);
  close(err[0]);
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0)
    if (errno != EINTR) give_up("wait4");
  remove_empty_registrations();
  outcome.peak_kib = used.ru_maxrss;
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  return outcome;
}

Program with_tree(std::string_view name, std::vector<std::string> arguments) {
  Program program(name, std::move(arguments));
  program.preload().set("OMP_SCHEDULE", "wstree");
  return program;
}

const std::vector<std::string>& libomp_builds() {
  static const std::vector<std::string> builds = [] {
    std::vector<std::string> found;
    std::istringstream list(WSTREE_TEST_LIBOMPS);
    for (std::string build; std::getline(list, build, ',');) found.push_back(build);
    return found;
  }();
  return builds;
}

std::string default_libomp() { return libomp_builds().back(); }

std::string program_path(std::string_view name) {
  if (name.find('/') != std::string_view::npos) return std::string(name);
  return std::string(WSTREE_TEST_PROGRAMS) + "/" + std::string(name);
}

std::string library_path() { return WSTREE_TEST_LIBRARY; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string fact(const std::string& text, std::string_view name) {
  for (const std::string& line : lines_of(text))
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ' ')
      return line.substr(name.size() + 1);
  return {};
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "wstree_process.XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) give_up("mkdtemp");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> TemporaryFolder::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace wstree::test
