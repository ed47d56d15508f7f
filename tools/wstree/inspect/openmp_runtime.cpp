// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp_runtime.h"

#include "elf_file.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace wstree::cli {

namespace {

namespace fs = std::filesystem;

/// A format of libomp's trace messages, which a release build has not.
constexpr std::string_view k_debug_text = "__kmp_dispatch_next: T#";

} // namespace

std::optional<OpenMpRuntime> openmp_runtime(const fs::path& path) {
  const auto file = ElfFile::open(path);
  if (!file) return std::nullopt;
  bool llvm = false;
  bool gcc = false;
  bool ours = false;
  file->for_each_export([&](std::string_view name) {
    llvm |= name == "__kmpc_fork_call";
    gcc |= name == "GOMP_parallel";
    ours |= name == "wstree_version";
  });
  if (ours || (!llvm && !gcc)) return std::nullopt;
  // LLVM's runtime has the names of gcc's too.
  if (!llvm) return OpenMpRuntime{OpenMpRuntime::Family::gcc, path};
  return OpenMpRuntime{OpenMpRuntime::Family::llvm, path, file->contains(k_debug_text)};
}

std::vector<OpenMpRuntime> openmp_runtimes(const std::vector<fs::path>& files) {
  std::vector<OpenMpRuntime> runtimes;
  std::set<fs::path> seen;
  for (const auto& file : files) {
    std::error_code error;
    const auto real = fs::canonical(file, error);
    if (error || !seen.insert(real).second) continue;
    if (auto runtime = openmp_runtime(real)) {
      runtime->file = file; // the name that the user knows
      runtimes.push_back(std::move(*runtime));
    }
  }
  return runtimes;
}

std::vector<fs::path> mapped_files(std::string_view maps) {
  std::vector<fs::path> files;
  std::istringstream lines{std::string(maps)};
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find('/'); // devices are written "08:01", so this is the path
    if (begin == std::string::npos) continue;
    const fs::path file = line.substr(begin);
    if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  }
  return files;
}

} // namespace wstree::cli
