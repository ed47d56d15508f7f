// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linked behind the OpenMP runtime.
#pragma once

namespace wstree::abi {

/// If the OpenMP runtime comes before this library in the order of the loader (`-lomp -lwstree`), the loader
/// has bound every reference to the runtime. Binds the references of all loaded objects to this library
/// instead, as if the order were the other one. Does nothing in the usual case. The constructor calls it,
/// when there is one thread and the C library may not be ready.
void rebind_if_shadowed() noexcept;

/// Before the runtimes start: has them call our ompt_start_tool even if an object in front of us has one,
/// such as the program.
void rebind_tool_start() noexcept;
/// The function of that object; nullptr: there is none.
void* shadowing_tool() noexcept;

} // namespace wstree::abi
