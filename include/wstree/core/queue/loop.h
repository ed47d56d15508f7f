// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A team's shared state of one loop with work-stealing queues.
#pragma once

#include "wstree/core/last_taken.h"
#include "wstree/core/platform.h"
#include "wstree/core/scheduler.h"
#include "wstree/core/share_mark.h"

namespace wstree::core {

/// One member's part of the shared state. Zeroed memory is a valid state.
template <class P, template <class> class Queue> struct alignas(k_line_pair) QueueCell {
  Queue<P> queue;
  ShareMark<P> share; ///< stands in the global queue until a member takes it
};

template <class P, template <class> class Queue> struct QueueLoop {
  Cells<QueueCell<P, Queue>> cells;
  alignas(k_line_pair) LastTaken<P> last;
};

} // namespace wstree::core
