// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processes around this one, as /proc shows them.
#pragma once

#include "cpu_set.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wstree::place {

struct Process {
  std::uint32_t id = 0;
  std::uint32_t parent = 0;   ///< 0: out of sight
  std::optional<CpuSet> mask; ///< mask of its first thread
};
/// `root`/proc/`name`, a number or "self"; nullopt: not there, or not ours to see.
std::optional<Process> find_process(std::string_view name, const char* root) noexcept;
std::optional<Process> find_process(std::uint32_t id, const char* root) noexcept;

/// Returns whether process `id` was started with this variable; false also if that is not ours to see.
bool has_variable(std::uint32_t id, std::string_view name, const char* root) noexcept;

struct Children {
  static constexpr std::uint32_t k_most = 512;
  std::array<std::uint32_t, k_most> ids{};
  std::uint32_t count = 0;
  bool complete = false; ///< all of them are in `ids`

  bool has(std::uint32_t id) const noexcept;
};
/// Returns the processes that any thread of process `id` has started and that have not ended.
Children children_of(std::uint32_t id, const char* root) noexcept;

} // namespace wstree::place
