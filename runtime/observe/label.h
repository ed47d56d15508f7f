// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "fixed_text.h"

namespace wstree::observe {

/// A name that the program has given to loops. Labels with the same text are one object, which lives as long
/// as the process: two labels are told apart by their addresses.
class Label {
public:
  /// Bytes of a text that count.
  static constexpr std::size_t k_longest = 63;

  constexpr Label() noexcept = default;
  Label(const Label&) = delete;
  Label& operator=(const Label&) = delete;

  /// Waits a moment if another thread is writing the text; empty if that thread never ends, which happens in
  /// the child of a fork.
  std::string_view view() const noexcept;

private:
  friend class LabelTable;

  std::atomic<std::uint64_t> hash_{0}; // hash of the text; 0: free
  std::atomic<bool> is_complete_{false};
  config::FixedText<k_longest + 1> text_;
};

/// Labels that a process may have.
inline constexpr std::uint32_t k_most_labels = 1024;

/// Returns the label with this text. nullptr: the text is empty, or there are k_most_labels with other texts.
/// Any thread; wait-free, allocates nothing.
const Label* find_label(std::string_view text) noexcept;

} // namespace wstree::observe
