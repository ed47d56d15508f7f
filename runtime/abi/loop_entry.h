// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who runs a loop: decided at its entry, for good, by the same rules for every interface.
#pragma once

#include "frame.h"
#include "options.h"

#include <cstdint>

namespace wstree::abi {

/// What decides about a loop, besides the thread's region.
struct LoopForm {
  config::LoopKind kind;
  bool stealable; // no order, no dependences between iterations, and no more of them than can be counted
};

/// User values modulo 2^64; `past` only where upper bounds are exclusive.
struct Bounds {
  std::uint64_t lower;
  std::uint64_t stride;
  std::uint64_t past = 0;
};

enum class Server : std::uint8_t {
  tree,
  runtime, // with what the program said
  fallback // the runtime, with the schedule in WSTREE_FALLBACK where the environment chose the tree
};

/// Starts the loop in the calling thread's frame if the tree may serve it; set_bounds() has to follow.
/// Otherwise prepares the frame for a loop of the runtime. All members of a team get the same answer: what
/// decides is the same for all of them, the task's schedule included (OpenMP 5.2, section 11.5.3:
/// run-sched-var has to be). `chunk` is what the program says, at least 1, and is not used for
/// schedule(runtime); `source` is the location text of the compiler or nullptr. The arguments fit into
/// registers, since this is most of what a short loop costs.
Server enter_loop(LoopForm form, std::uint64_t iterations, std::uint64_t chunk, const char* source,
                  const void* caller) noexcept;

/// As enter_loop(), for a loop that somebody decided about for the whole team, with batches of at least
/// `smallest`. False: no memory, for all members alike.
bool begin_loop(Frame& frame, config::LoopKind kind, std::uint64_t iterations, std::uint64_t smallest,
                const char* source, const void* caller) noexcept;

inline void set_bounds(Frame& frame, const Bounds& bounds) noexcept {
  frame.lower = bounds.lower;
  frame.stride = bounds.stride;
  frame.past = bounds.past;
}

} // namespace wstree::abi
