// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pin of the calling thread that the library made, and the mask that it must not hand down.
#pragma once

#include "cpu_set.h"

#include <cstdint>

namespace wstree::place {

/// Worker threads are pinned and stay so from region to region. The thread that opens regions is only moved:
/// its mask does not change by move_thread(), so that there is nothing to restore, and nothing that the
/// threads and processes that it starts could inherit.
///
/// All functions keep errno.

/// The key of a pin: names a mask that does not change, e.g. address of the layout and the member.
using PinKey = std::uintptr_t; // 0: not pinned

/// Returns the calling thread's key.
PinKey pinned_to() noexcept;

/// Pins the calling thread to `mask`, which lies within `original`, the process's mask. Does nothing, and
/// never will for this thread, if the thread's mask was changed from outside: it was neither `original` nor
/// ours. System calls only if `key` differs from pinned_to(). Returns whether the thread is pinned. The first
/// pin of a process makes sure that forks hand down the original mask.
bool pin_thread(PinKey key, const CpuSet& mask, const CpuSet& original) noexcept;

/// Gives the thread its original mask back, unless the mask was changed from outside since.
void unpin_thread() noexcept;

/// Moves the calling thread to `mask` if it runs elsewhere, and leaves its own mask as it is. Without system
/// calls if it is there already. Tries at most once in a millisecond. Returns false if it is elsewhere and
/// was not moved.
bool move_thread(const CpuSet& mask) noexcept;

/// While this exists the calling thread, if it is pinned, has its original mask, so that threads and
/// processes that it starts do not inherit the pin. All that it does is system calls: a signal handler may
/// use it. May be nested.
class Unpinned {
public:
  Unpinned() noexcept;
  ~Unpinned();
  Unpinned(const Unpinned&) = delete;
  Unpinned& operator=(const Unpinned&) = delete;

private:
  bool repin_;
};

/// Remembers which process this is, and its mask. At load time.
void remember_process() noexcept;
/// Returns the mask that the process had then; empty if it was not remembered.
const CpuSet& process_mask() noexcept;
/// Returns whether this process is a copy that fork made, and has not become another program.
bool in_forked_child() noexcept;

} // namespace wstree::place
