// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace wstree::config {

/// Returns the number of letters that have to be inserted, removed, replaced or swapped with their neighbour
/// to turn one word into the other, without regard to case. Only the first 64 bytes of each word count.
std::size_t edit_distance(std::string_view a, std::string_view b) noexcept;

/// Returns the word of `candidates` that is nearest to `word`, the first of those that are equally near;
/// empty if none is near enough to have been meant.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates) noexcept;

/// Returns the WSTREE_* option whose name is nearest to `name`; empty if none is near enough to have
/// been meant.
std::string_view nearest_option(std::string_view name) noexcept;

/// Returns the kind of schedule that is nearest to the kind in `value`, a value of OMP_SCHEDULE; empty if
/// none is near enough.
std::string_view nearest_schedule(std::string_view value) noexcept;

} // namespace wstree::config
