// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the library is compared with: the schedules of others, as models of what they do to shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wstree::simulate {

enum class Peer : std::uint8_t {
  dynamic, ///< libomp's and libgomp's: one counter, one fetch-and-add per chunk
};
inline constexpr std::size_t k_peer_count = 1;

} // namespace wstree::simulate
