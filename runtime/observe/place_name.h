// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fixed_text.h"

namespace wstree::observe {

using PlaceName = config::FixedText<168>;

/// Returns the name of a code location for people: "file:line (function)" if `psource` (may be null) has
/// them, else "module+0xoffset" of the address, else the bare address. Names that are too long lose the front
/// of the file's path or the end of the function's name. Preserves errno; any thread.
PlaceName name_place(const void* address, const char* psource) noexcept;

} // namespace wstree::observe
