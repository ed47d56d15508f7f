// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measured_run.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>

namespace wstree::cli {

namespace {

/// Returns the FNV-1a hash of a file.
std::uint64_t hash_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t hash = 0xcbf29ce484222325u;
  std::vector<char> part(1 << 16);
  while (file.read(part.data(), static_cast<std::streamsize>(part.size())), file.gcount() > 0) {
    for (std::streamsize i = 0; i < file.gcount(); ++i)
      hash = (hash ^ static_cast<unsigned char>(part[static_cast<std::size_t>(i)])) * 0x100000001b3u;
  }
  return hash;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

std::string end_of(const std::filesystem::path& path) {
  constexpr std::streamoff k_most = 2000;
  std::ifstream file(path, std::ios::binary);
  file.seekg(0, std::ios::end);
  const std::streamoff size = file.tellg();
  file.seekg(size > k_most ? size - k_most : 0);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

MeasuredRun run_measured(std::vector<std::string>& command, Environment& environment,
                         const std::filesystem::path& folder) {
  const auto output = folder / "stdout", errors = folder / "stderr";
  constexpr int k_new = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), k_new, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), k_new, 0600);
  std::vector<char*> arguments;
  for (auto& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  MeasuredRun run;
  pid_t child = 0;
  const auto begin = std::chrono::steady_clock::now();
  run.error = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(),
                             environment.pointers().data());
  posix_spawn_file_actions_destroy(&actions);
  if (run.error != 0) return run;
  rusage used{};
  while (::wait4(child, &run.wait_status, 0, &used) < 0 && errno == EINTR) {
  }
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  run.cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  run.output = hash_of(output);
  run.errors = end_of(errors);
  return run;
}

std::string end_text(int wait_status) {
  if (WIFEXITED(wait_status)) return fmt::format("exit status {}", WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  return fmt::format("signal {} ({})", signal, ::strsignal(signal));
}

} // namespace wstree::cli
