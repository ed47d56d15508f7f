// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The questions of a function's proof about this process.
#pragma once

#include "proof.h"

namespace wstree::abi {

/// Answers from the tables of the loaded objects, without locks where object_around() takes none.
proof::Process own_process() noexcept;

} // namespace wstree::abi
