// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fixed piece of work, which takes longer if the machine itself is slower than on another day. It does not
// depend on the build of the command.
#pragma once

namespace wstree::cli {

/// Returns how long the processor of this thread takes to count down from a fixed number.
double countdown_seconds();

} // namespace wstree::cli
