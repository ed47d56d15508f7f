// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's competitors: the schedules of others, as models of their accesses to shared memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wstree::simulate {

/// libomp is LLVM's runtime, version 19 built for release, and the chunk's meaning is its.
enum class Peer : std::uint8_t {
  static_,         ///< libomp's: a block per member, or with a chunk round robin (libomp_static.h)
  dynamic,         ///< libomp's and libgomp's: one counter, one fetch-and-add per chunk (libomp_dynamic.h)
  guided,          ///< libomp's: an iteration out of 2P that are left, then as dynamic (libomp_guided.h)
  trapezoidal,     ///< libomp's: chunks that shrink by the same amount (libomp_trapezoidal.h)
  static_steal,    ///< libomp's: blocks, of which a thief takes a quarter (libomp_static_steal.h)
  gomp_guided,     ///< libgomp's: an iteration out of P that are left (gomp_guided.h)
  tbb_auto,        ///< oneTBB's parallel_for with auto_partitioner; the chunk is its grain (tbb_auto.h)
  cilk_for,        ///< OpenCilk's; the chunk is its grain (cilk_for.h)
  static_balanced, ///< the library's WSTREE_LOOPS=static: no schedule of OMP_SCHEDULE (static_balanced.h)
  aid_static,      ///< AID-static: shares by the speeds of cores, after a sample (aid.h)
  aid_hybrid,      ///< AID-hybrid: the same with 80 % of the loop
  aid_dynamic,     ///< AID-dynamic: pieces by the speeds of cores
};
inline constexpr std::size_t k_peer_count = 12;

/// In the order of Peer: as in OMP_SCHEDULE for libomp, with the runtime's name for the others.
inline constexpr std::array<std::string_view, k_peer_count> k_peer_names{
    "static",   "dynamic",  "guided",          "trapezoidal", "static_steal", "gomp_guided",
    "tbb_auto", "cilk_for", "static_balanced", "aid_static",  "aid_hybrid",   "aid_dynamic"};

constexpr std::string_view name_of(Peer peer) { return k_peer_names[static_cast<std::size_t>(peer)]; }

/// Returns the peer with this name, exactly as name_of() writes it.
constexpr std::optional<Peer> peer_named(std::string_view name) {
  for (std::size_t p = 0; p < k_peer_count; ++p)
    if (k_peer_names[p] == name) return static_cast<Peer>(p);
  return std::nullopt;
}

} // namespace wstree::simulate
