// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fixed piece of work that tells whether the machine itself is slower than on another day: the same in each
// build of the command.
#pragma once

namespace wstree::cli {

/// Returns how long the processor of this thread takes to count down from a fixed number.
double countdown_seconds();

} // namespace wstree::cli
