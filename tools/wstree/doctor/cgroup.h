// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

/// Processor time that a control group grants, in CPUs: what a file says, "max 100000" being nothing.
std::optional<double> parse_cpu_max(std::string_view text);
/// The same of the two files of version 1, in which a quota of -1 is none.
std::optional<double> parse_cfs(std::string_view quota, std::string_view period);

/// Where the control groups of a process are that may limit its processor time.
struct ControlGroup {
  int version = 2;
  std::filesystem::path folder; ///< of the process's own group, as seen in this mount namespace
  std::filesystem::path top;    ///< of the outermost group that can be seen
};

/// `groups`: /proc/self/cgroup, `mounts`: /proc/self/mountinfo. At most one per version.
std::vector<ControlGroup> control_groups(std::string_view groups, std::string_view mounts);

struct Quota {
  std::optional<double> cpus; ///< the smallest one on the way up; nothing: unlimited
  std::string file;           ///< that says so
  std::string problem;        ///< a file that should be there and cannot be read
};

/// Looks at the calling process's groups and at those that they are in. All paths are taken below `root`.
Quota find_quota(const std::filesystem::path& root = "/");

} // namespace wstree::cli
