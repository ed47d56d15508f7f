// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why loops of a comparison are slow though the tree shares them out; sentences with a blank in front.
#pragma once

#include "comparison.h"

#include <string>

namespace wstree::cli {

/// Loops that no schedule makes even, because they are handed out in few pieces; empty: there are none.
std::string large_chunks(const Contest& comparison);

/// Loops whose chunks cost as much to hand out as to execute; empty: there are none.
std::string small_chunks(const Contest& comparison);

/// Loops that stay uneven because they have few iterations; empty: there are none.
std::string few_iterations(const Contest& comparison);

/// Describes even loops that take far more time of all threads than one thread needs for them; empty: there
/// are none.
std::string time_elsewhere(const Contest& comparison);

} // namespace wstree::cli
