// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hashes of tables of values. For the .cpp files of this folder alone.
#pragma once

#include <cstdint>

namespace wstree::proof {

/// Returns `hash`, changed by `more`.
inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) noexcept {
  hash = (hash ^ more) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

} // namespace wstree::proof
