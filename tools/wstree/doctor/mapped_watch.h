// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cpu_set.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

namespace wstree::cli {

/// Collects the files that a process and its children have mapped, and the CPUs that each may use. It looks
/// from outside, so that nothing about them changes; a file that is mapped for a moment only may be missed.
class MappedWatch {
public:
  /// `processes`: /proc.
  explicit MappedWatch(std::filesystem::path processes = "/proc") : processes_(std::move(processes)) {}

  void look(pid_t process);
  [[nodiscard]] std::vector<std::filesystem::path> files() const { return {files_.begin(), files_.end()}; }
  /// Returns the largest set of CPUs that the process could use since it became its latest program; empty: it
  /// was not seen.
  [[nodiscard]] place::CpuSet cpus(pid_t process) const;
  /// Returns the largest set of CPUs to which its threads were bound together; empty: it was seen with one
  /// thread only.
  [[nodiscard]] place::CpuSet bound(pid_t process) const;
  /// Its number in an MPI job, by the variables of launchers; empty: it has none.
  [[nodiscard]] std::string rank(pid_t process) const;

private:
  struct Seen {
    std::filesystem::path program;
    place::CpuSet cpus = {}, bound = {};
    std::string rank = {};
  };

  std::filesystem::path processes_;
  std::map<pid_t, Seen> seen_;
  std::set<std::filesystem::path> files_;
};

} // namespace wstree::cli
