// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions whose static loops we may cut.
#pragma once

#include "frame.h"

namespace wstree::abi {

/// Before a fork. `code`: where the members' work begins, which names the region; `caller` forks. nullptr:
/// the runtime cuts the static loops of this region, because nobody asks for more, or because another team is
/// in it.
BalancedRegion* open_balanced(const void* code, const void* caller, const char* source,
                              const observe::Label* label) noexcept;
/// After the join.
void close_balanced(BalancedRegion& region, const void* caller, const observe::Label* label) noexcept;

/// The runtime cuts a loop that the calling thread enters, perhaps into the equal parts of
/// `schedule(static)`: OpenMP promises the same parts in all static loops of a region with as many
/// iterations.
[[gnu::noinline]] void keep_equal_parts(Frame& frame, std::uint64_t iterations, const void* caller) noexcept;

/// The member of `frame` leaves its part of a loop, with events in its track.
void leave_traced_part(Frame& frame) noexcept;

/// The calling thread is in a loop of `distribute`, and the regions that it forks share out a team's part of
/// it.
extern constinit thread_local bool t_in_distribute __attribute__((tls_model("initial-exec")));

} // namespace wstree::abi
