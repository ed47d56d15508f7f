// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions whose static loops we may cut.
#pragma once

#include "frame.h"

namespace wstree::abi {

/// Opens the region before a fork. `code`: where the members' work begins, which names the region; `caller`
/// forks. Returns nullptr if the runtime is to cut the static loops of this region, because no option asks
/// for more, or because another team is in it.
BalancedRegion* open_balanced(const void* code, const void* caller, const char* source,
                              const observe::Label* label) noexcept;
/// Closes the region after the join.
void close_balanced(BalancedRegion& region, const void* caller, const observe::Label* label) noexcept;

/// Called when a member enters a static loop that the runtime cuts, perhaps into equal parts: later loops of
/// this region with as many iterations keep equal parts, too, as OpenMP promises.
[[gnu::noinline]] void keep_equal_parts(Frame& frame, std::uint64_t iterations, const void* caller) noexcept;

/// Writes events to the track of the member of `frame`, which leaves its part of a loop.
void leave_traced_part(Frame& frame) noexcept;

/// True in a loop of `distribute`, of which the regions that the calling thread forks share out a
/// team's part.
extern constinit thread_local bool t_in_distribute __attribute__((tls_model("initial-exec")));

} // namespace wstree::abi
