// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that a plugin of jumping.cpp exports and its hosts call.
#pragma once

/// Calls of OpenMP, each of them the last thing that a function does where that is possible.
#define JUMPING_FUNCTIONS(use)                                                                               \
  use(region) use(method) use(lambda) use(loop) use(runtime_loop) use(orphan) use(orphans) use(pieces)       \
      use(barrier) use(barriers) use(serial) use(tasks) use(set) use(set_and_loop) use(get) use(procs)

extern "C" {
#define JUMPING_DECLARE(name) void name();
JUMPING_FUNCTIONS(JUMPING_DECLARE)
#undef JUMPING_DECLARE
/// Returns the sights of these functions since the last call, as text.
const char* seen();
}
