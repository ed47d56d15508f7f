// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is expected of a process with the library in it.
#pragma once

#include "process.h"

namespace wstree::test {

/// Calls of served loops, added up over the figures of `program` and of the processes that it starts.
int served_calls(Program program);

/// Runs `program`, which does not have the library yet, without it and with it under the same schedule, and
/// with it under the tree. Expects the same outputs and the same end of all three, and at least `calls`
/// served ones of the third, or none at all if `calls` is 0.
void expect_unnoticed(const Program& program, int calls = 1);

} // namespace wstree::test
