// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Limits that the control groups of the process set. Versions 1 and 2, and both side by side.
#pragma once

#include "cpu_set.h"
#include "line_reader.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wstree::place {

/// Quotas are processor time in thousandths of a CPU.
inline constexpr std::uint64_t k_whole_cpu = 1000;
constexpr double cpus_of(std::uint64_t quota) noexcept { return static_cast<double>(quota) / k_whole_cpu; }

/// Returns the quota of a cpu.max; "max 100000" is nothing.
std::optional<std::uint64_t> parse_cpu_max(std::string_view text) noexcept;
/// Returns the quota of the two files of version 1, in which -1 is none.
std::optional<std::uint64_t> parse_cfs(std::string_view quota, std::string_view period) noexcept;

enum class Controller : std::uint8_t { cpu, cpuset };

struct ControlGroup {
  int version = 0;
  PathText folder;     ///< folder of the process's own group, as seen in this mount namespace
  std::size_t top = 0; ///< so many bytes of it are the folder of the outermost group that can be seen

  /// Goes to the group around this one. Returns false if this is the outermost one.
  bool go_up() noexcept;
};

struct ControlGroups {
  std::array<ControlGroup, 2> groups; ///< at most one of each version
  std::uint32_t count = 0;
  PathText problem; ///< a file without which nothing is known; empty: it could be read
};
/// Returns the groups that limit the calling process with this controller. All paths here are taken below
/// `root`, and include it.
ControlGroups find_groups(Controller controller, const char* root = "") noexcept;

struct Quota {
  std::uint64_t time = 0; ///< the smallest one on the way up; 0: no limit
  PathText file;          ///< file with the smallest quota
  PathText problem;       ///< a file that should be there and cannot be read
};
Quota find_quota(const char* root = "") noexcept;

/// Returns the CPUs that the process's group may use; nullopt if that is not known.
std::optional<CpuSet> find_cpuset(const char* root = "") noexcept;

} // namespace wstree::place
