// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls at the functions themselves, not at their doors and not past us: first calls of an object that was
// opened later, and calls through pointers.
#pragma once

#include "resolve/loaded_objects.h"
#include "resolve/scope.h"

#include <cstdint>

namespace wstree::abi {

/// The question about a call: which code calls, or where the call goes.
enum class Wanted : std::uint8_t { code, target };
/// The answer for calls of `object`, none for code that the process has made itself, that return to `caller`.
using FindFor = void*(Function& function, const LoadedObject& object, const void* caller) noexcept;

/// Calls find() for the object that calls `function` and would return to `caller`; `about`: an address in the
/// object that the call is about, nullptr if none is passed. Binds the object's references. A thread that
/// calls through a pointer again only checks whether objects have come or gone. Any thread; takes the lock of
/// dl_iterate_phdr() unless the object follows from `about`, or from the instruction that calls.
void* find_for_unbound(Wanted wanted, Function& function, const void* about, const void* caller,
                       FindFor* find) noexcept;

} // namespace wstree::abi
