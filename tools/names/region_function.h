// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <elfutils/libdwfl.h>
#include <optional>

namespace wstree::names {

/// Returns the address of the function that gcc's code hands to libgomp by the call that returns to
/// `return_address`; nothing if that call hands over none, or on another processor than x86-64.
std::optional<Dwarf_Addr> region_function(Dwfl_Module* module, Dwarf_Addr return_address);

} // namespace wstree::names
