// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "kmpc/types.h"

namespace wstree::abi {

/// Tells the runtime how many threads a rule wants in the region that `caller` is about to fork, unless the
/// program has asked for one thread: then it does not want a team.
void ask_for_threads(ident_t* loc, const void* caller) noexcept;

} // namespace wstree::abi
