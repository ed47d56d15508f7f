// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A runtime's search for its tool (OpenMP 5.2, section 19.2.1). Both functions return nullptr if no library
// wants to be the tool of the runtime that calls itself `runtime` and has the OMPT of `version`.
#pragma once

#include "ompt/types.h"

namespace wstree::abi::ompt {

/// Starts the tool among the objects in the process: the program, the libraries that it was linked with, and
/// preloaded ones.
StartResult* start_loaded_tool(unsigned version, const char* runtime) noexcept;
/// Starts the first library of OMP_TOOL_LIBRARIES that wants to be the tool.
StartResult* start_listed_tool(unsigned version, const char* runtime) noexcept;

} // namespace wstree::abi::ompt
