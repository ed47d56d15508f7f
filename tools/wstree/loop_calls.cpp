// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_calls.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace wstree::cli {

namespace {

bool is_llvm_loop(std::string_view name) {
  return name.starts_with("__kmpc_dispatch_init_") || name.starts_with("__kmpc_dist_dispatch_init_");
}

bool is_gcc_loop(std::string_view name) {
  return name.starts_with("GOMP_loop_") || name.starts_with("GOMP_parallel_loop_");
}

bool starts_others(std::string_view name) {
  static constexpr std::array k_names{"dlopen",      "dlmopen",      "system", "popen",
                                      "posix_spawn", "posix_spawnp", "fexecve"};
  return std::find(k_names.begin(), k_names.end(), name) != k_names.end() || name.starts_with("execv") ||
         name.starts_with("execl");
}

/// Standard output of a command, whatever its exit status; empty if it cannot be started.
std::string output_of(std::vector<std::string> command) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (auto& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string output;
  if (error == 0) {
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = ::read(ends[0], part.data(), part.size())) > 0;) {
      output.append(part.data(), static_cast<std::size_t>(got));
    }
    ::waitpid(child, nullptr, 0);
  }
  ::close(ends[0]);
  return output;
}

} // namespace

LoopCalls& LoopCalls::operator|=(const LoopCalls& other) {
  llvm |= other.llvm;
  gcc |= other.gcc;
  gcc_runtime |= other.gcc_runtime;
  runtime_inside |= other.runtime_inside;
  starts_others |= other.starts_others;
  known &= other.known;
  return *this;
}

LoopCalls loop_calls(const ElfFile& file) {
  LoopCalls calls;
  calls.known = file.for_each_import([&](std::string_view name) {
    calls.llvm |= is_llvm_loop(name);
    calls.gcc |= name.starts_with("GOMP_");
    calls.gcc_runtime |= is_gcc_loop(name) && name.find("runtime") != std::string_view::npos;
    calls.starts_others |= starts_others(name);
  });
  // Looked at last, because the table of a big program is long.
  if (!calls.llvm && !calls.gcc) {
    file.for_each_definition(
        [&](std::string_view name) { calls.runtime_inside |= is_llvm_loop(name) || is_gcc_loop(name); });
  }
  return calls;
}

LoopCalls loop_calls_with_libraries(const ElfFile& program, const std::filesystem::path& path) {
  LoopCalls calls = loop_calls(program);
  for (const auto& library : loaded_libraries(program.loader(), path)) {
    const auto file = ElfFile::open(library);
    if (!file) continue;
    LoopCalls of_library = loop_calls(*file);
    // A shared runtime defines what others import, which is as it should be; its dlopen is not the program's.
    if (std::exchange(of_library.runtime_inside, false)) of_library.starts_others = false;
    calls |= of_library;
  }
  return calls;
}

std::vector<std::filesystem::path> loaded_libraries(const std::string& loader,
                                                    const std::filesystem::path& program) {
  // "<tab>libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f...)", or without the arrow if the path was
  // asked for.
  std::vector<std::filesystem::path> libraries;
  std::istringstream listing(output_of({loader, "--list", std::filesystem::absolute(program).string()}));
  constexpr std::string_view k_arrow = " => ";
  for (std::string line; std::getline(listing, line);) {
    const auto address = line.rfind(" (0x");
    if (address == std::string::npos || line.front() != '\t') continue;
    const auto arrow = line.find(k_arrow);
    const auto path = line.substr(arrow == std::string::npos ? 1 : arrow + k_arrow.size());
    const auto name = path.substr(0, path.rfind(" (0x"));
    if (name.find('/') != std::string::npos && name != loader) libraries.emplace_back(name);
  }
  return libraries;
}

} // namespace wstree::cli
