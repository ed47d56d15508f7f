// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <set>
#include <sys/types.h>
#include <vector>

namespace wstree::cli {

/// Collects the files that a process and its children have mapped. It looks from outside, so that nothing
/// about them changes; what is mapped for a moment only may be missed.
class MappedWatch {
public:
  /// `processes`: /proc.
  explicit MappedWatch(std::filesystem::path processes = "/proc") : processes_(std::move(processes)) {}

  void look(pid_t process);
  [[nodiscard]] std::vector<std::filesystem::path> files() const { return {files_.begin(), files_.end()}; }

private:
  std::filesystem::path processes_;
  std::set<std::filesystem::path> files_;
};

} // namespace wstree::cli
