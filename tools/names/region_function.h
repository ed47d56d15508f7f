// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <elfutils/libdwfl.h>
#include <vector>

namespace wstree::names {

/// Returns the addresses of the functions that gcc's code may hand to libgomp by the call that returns to
/// `return_address`, the likeliest first. Empty if the call hands over none, if its value has no constant in
/// the function around it, or on another processor than x86-64.
std::vector<Dwarf_Addr> region_functions(Dwfl_Module* module, Dwarf_Addr return_address);

} // namespace wstree::names
