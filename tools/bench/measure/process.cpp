// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process.h"
#include "omp_calls.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <random>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {
namespace {

/// Returns LD_PRELOAD without the entries that name the library; blanks and colons separate.
std::string without_library(std::string_view preload) {
  std::string kept;
  while (!preload.empty()) {
    const std::size_t length = std::min(preload.find_first_of(": "), preload.size());
    const std::string_view entry = preload.substr(0, length);
    if (!entry.empty() && entry.find("libwstree") == entry.npos)
      kept += (kept.empty() ? "" : ":") + std::string(entry);
    preload.remove_prefix(std::min(length + 1, preload.size()));
  }
  return kept;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (const std::string& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

} // namespace

std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  constexpr std::string_view k_preload = "LD_PRELOAD=";
  std::vector<std::string> list;
  std::string preload;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with(k_preload))
      preload = without_library(text.substr(k_preload.size()));
    else if (!text.starts_with("WSTREE_") && !text.starts_with("OMP_SCHEDULE="))
      list.emplace_back(text);
  }
  for (const std::string& text : more)
    if (text.starts_with(k_preload))
      preload = text.substr(k_preload.size()) + (preload.empty() ? "" : ":" + preload);
    else
      list.push_back(text);
  if (!preload.empty()) list.push_back(std::string(k_preload) + preload);
  return list;
}

std::vector<std::string> own_environment() {
  std::vector<std::string> list;
  for (char** entry = environ; *entry; ++entry) list.emplace_back(*entry);
  return list;
}

int run_child(const std::string& program, const std::vector<std::string>& arguments,
              const std::vector<std::string>& environment, std::string* output) {
  std::string path = program;
  if (path.empty()) {
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return -1;
    path.assign(self, static_cast<std::size_t>(length));
  }
  std::vector<std::string> all = {path};
  all.insert(all.end(), arguments.begin(), arguments.end());
  int ends[2] = {-1, -1};
  if (output && pipe2(ends, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  else
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawn(&child, path.c_str(), &actions, nullptr, pointers(all).data(),
                                 pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (output) {
    close(ends[1]);
    char buffer[4096];
    for (ssize_t got = 0; !failed && (got = read(ends[0], buffer, sizeof buffer)) > 0;)
      output->append(buffer, static_cast<std::size_t>(got));
    close(ends[0]);
  }
  int status = 0;
  if (failed || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool run_rounds(const Common& options, std::vector<Kind>& kinds) {
  std::mt19937_64 random(1);
  std::vector<Kind*> order;
  for (Kind& kind : kinds) order.push_back(&kind);
  for (int round = 0; round < options.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (Kind* const kind : order) {
      std::vector<std::string> arguments = options.again;
      arguments.insert(arguments.end(), {"--child", kind->name});
      std::string output;
      const int status = run_child("", arguments, environment_with(kind->variables), &output);
      if (status != 0) {
        std::fprintf(stderr, "bench: the process \"%s\" failed (status %d)\n", kind->name.c_str(), status);
        return false;
      }
      for (std::size_t at = 0; at < output.size();) {
        const std::size_t end = std::min(output.find('\n', at), output.size()), blank = output.find(' ', at);
        if (blank < end)
          kind->figures[output.substr(blank + 1, end - blank - 1)].push_back(std::atof(&output[at]));
        at = end + 1;
      }
    }
  }
  return true;
}

std::string runtime_description() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        const std::string_view name = info->dlpi_name ? info->dlpi_name : "";
        const std::string_view file = name.substr(name.find_last_of('/') + 1);
        if (!file.starts_with("libomp") && !file.starts_with("libiomp") && !file.starts_with("libgomp") &&
            !file.starts_with("libtbb.so"))
          return 0;
        *static_cast<std::string*>(data) = name;
        return 1;
      },
      &path);
  std::ifstream file(path, std::ios::binary);
  if (path.empty() || !file) return "unknown";
  if constexpr (k_runtime != Runtime::libomp) return path;
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const bool traced = content.find("__kmp_dispatch_next: T#") != content.npos;
  return path + (traced ? " (debug build: every chunk formats trace text)" : " (release build)");
}

} // namespace bench
