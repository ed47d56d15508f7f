// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The environment that hwloc is to find, and that no other code sees for longer than necessary.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace wstree::place {

/// While this exists, getenv() finds HWLOC_PLUGINS_PATH and HWLOC_HIDE_ERRORS set, to our values unless the
/// user has set them. Other threads may use the environment meanwhile, and their changes stay. (It can be
/// lost only in the instant in which the pointer is exchanged: the C library's lock is not ours to take.)
/// Without memory nothing is set.
class ChangedEnvironment {
public:
  ChangedEnvironment() noexcept;
  ~ChangedEnvironment();
  /// Returns whether the change is in force; not if there was no memory, or another thread was faster.
  bool is_in_force() const noexcept { return ours_ != nullptr; }
  ChangedEnvironment(const ChangedEnvironment&) = delete;
  ChangedEnvironment& operator=(const ChangedEnvironment&) = delete;

private:
  struct Setting {
    std::string_view name; // with its =
    const char* text;
  };
  // hwloc may keep the pointers that getenv() gives it: these live for ever.
  static constexpr std::array<Setting, 2> k_settings{{
      {"HWLOC_PLUGINS_PATH=", "HWLOC_PLUGINS_PATH=/nonexistent"},
      {"HWLOC_HIDE_ERRORS=", "HWLOC_HIDE_ERRORS=2"},
  }};

  bool is_untouched() const noexcept;

  char** before_;
  char** ours_ = nullptr; // null: nothing was changed
  char** as_made_ = nullptr;
  std::size_t size_ = 0; // entries of both, with the null pointer at the end
  std::array<bool, k_settings.size()> added_{};
};

} // namespace wstree::place
