// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "output_of.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wstree::cli {

std::string output_of(std::vector<std::string> command, Environment& environment, Stream stream) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const int wanted = stream == Stream::output ? STDOUT_FILENO : STDERR_FILENO;
  const int other = stream == Stream::output ? STDERR_FILENO : STDOUT_FILENO;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], wanted);
  posix_spawn_file_actions_addopen(&actions, other, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (auto& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
      ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environment.pointers().data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string output;
  if (error == 0) {
    std::array<char, 4096> part{};
    for (;;) {
      const ssize_t got = ::read(ends[0], part.data(), part.size());
      if (got > 0)
        output.append(part.data(), static_cast<std::size_t>(got));
      else if (got == 0 || errno != EINTR)
        break;
    }
    ::waitpid(child, nullptr, 0);
  }
  ::close(ends[0]);
  return output;
}

} // namespace wstree::cli
