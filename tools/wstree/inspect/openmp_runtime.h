// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

/// A shared OpenMP runtime. It is recognised by its exports and not by its name: packages of other languages
/// bring copies along as libgomp-d22c30c5.so.
struct OpenMpRuntime {
  enum class Family { llvm, gcc };
  Family family;
  std::filesystem::path file;
  /// LLVM's in a debug build, as Debian packages it: formats a text at every batch of its own schedules.
  bool debug_build = false;
};

/// Returns the runtime in a file; nothing for other files, this library included, which exports the
/// same names.
std::optional<OpenMpRuntime> openmp_runtime(const std::filesystem::path& file);
/// Returns the runtimes among the files, each once, however many links lead to it.
std::vector<OpenMpRuntime> openmp_runtimes(const std::vector<std::filesystem::path>& files);

/// Returns the files in a list of mappings like /proc/self/maps, each once.
std::vector<std::filesystem::path> mapped_files(std::string_view maps);

} // namespace wstree::cli
