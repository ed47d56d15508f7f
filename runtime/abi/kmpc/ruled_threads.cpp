// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kmpc/ruled_threads.h"

#include "loop_entry.h"
#include "resolve/runtime.h"

#include <cstdint>

namespace wstree::abi {

void ask_for_threads(ident_t* loc, const void* caller) noexcept {
  static constinit Real<std::int32_t(ident_t*)> thread_number{"__kmpc_global_thread_num"};
  static constinit Real<void(ident_t*, std::int32_t, std::int32_t)> push_threads{"__kmpc_push_num_threads",
                                                                                 true};
  const std::uint64_t threads = ruling_of(caller, loc != nullptr ? loc->psource : nullptr).threads();
  if (threads == 0) return;
  if (const auto push = push_threads.find(caller))
    push(loc, thread_number.require(caller)(loc), static_cast<std::int32_t>(threads));
}

} // namespace wstree::abi
