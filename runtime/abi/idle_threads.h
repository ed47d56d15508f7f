// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Idle threads of a team between regions: how long they spin (WSTREE_WAIT), and the cost of that
// (WSTREE_STATS). Only regions of the thread that has opened the first one count.
#pragma once

namespace wstree::abi {

/// The calling thread is about to open a region of the outermost level; `caller`: see Real.
void end_gap(const void* caller) noexcept;
/// A region of the outermost level has ended in the calling thread.
void begin_gap() noexcept;

} // namespace wstree::abi
