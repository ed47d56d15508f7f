// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <climits>
#include <cstdint>
#include <link.h>

#include "fixed_text.h"

namespace wstree::observe {

/// A code location for tools that read debug information, in this process or later.
struct CodePlace {
  config::FixedText<PATH_MAX> module; ///< path of the program or library; empty if the address is in none
  config::FixedText<129> build_id;    ///< in hexadecimal digits; empty if the module has none
  std::uint64_t offset = 0; ///< address in the module's symbol table; without a module the address in memory
};

/// Fills in `place`, which is as large as a path. Preserves errno; any thread. Locks: see module_around().
void find_code_place(const void* address, CodePlace& place) noexcept;

/// Returns the module that has `address` in one of its segments; without segments if there is none.
/// The module must not be unloaded meanwhile. Takes no lock where the C library has _dl_find_object()
/// (glibc 2.35), because a region may be open inside a callback of dl_iterate_phdr(); else the lock
/// of dl_iterate_phdr().
dl_phdr_info module_around(const void* address) noexcept;

} // namespace wstree::observe
