// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of a one-sided operation on another rank's memory.
#pragma once

#include "virtual_time.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace wstree::simulate {

struct Network {
  std::string_view name;
  Time latency = 0; ///< latency of an operation on a word that no other rank uses, from its call to its end
  Time service = 0; ///< between two operations on one word
  Time byte = 0;    ///< time of a byte of a message
};

/// Gemini: Gerstenberger, Besta, Hoefler, "Enabling highly-scalable remote memory access programming with
/// MPI-3 one sided", SC 2013: compare-and-swap 2.4 us, accumulate 28 ns a byte besides, get 0.17 ns a byte.
/// InfiniBand: Kalia, Kaminsky, Andersen, "Design guidelines for high performance RDMA systems", USENIX ATC
/// 2016, Connect-IB: 2.24 million fetch-and-adds on one word in a second; latency of 2 us and the rate of
/// FDR. Rounded; latency of InfiniBand and service of Gemini are assumptions.
inline constexpr std::array k_networks{Network{"gemini", 2'400 * k_ns, 224 * k_ns, 170},
                                       Network{"infiniband", 2'000 * k_ns, 446 * k_ns, 147}};

/// Returns the network of that name; nullptr if there is none.
constexpr const Network* network_named(std::string_view name) {
  for (const Network& network : k_networks)
    if (network.name == name) return &network;
  return nullptr;
}

} // namespace wstree::simulate
