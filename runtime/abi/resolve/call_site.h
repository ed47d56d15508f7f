// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls of loaded code, read from its instructions.
#pragma once

#include "resolve/loaded_objects.h"

#include <string_view>

namespace wstree::abi {

/// Returns whether the instruction of `object` before `return_address` calls the function `name` through one
/// of the object's references. Such an object is the caller, wherever its reference leads by now: another
/// thread may have bound it anew. False where that cannot be read: a call through a register, or of a
/// function that goes on to `name` by a jump. Takes no lock.
bool calls_by_reference(const LoadedObject& object, const void* return_address,
                        std::string_view name) noexcept;

} // namespace wstree::abi
