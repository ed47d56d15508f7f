// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions of LLVM's libomp that have one thread because of the program's clauses.
#include "export.h"
#include "frame.h"
#include "kmpc/types.h"
#include "resolve/runtime.h"

#include <cstdint>

namespace {

using namespace wstree::abi;
using i32 = std::int32_t;

constinit Real<void(ident_t*, i32)> g_serialized{"__kmpc_serialized_parallel"};
constinit Real<void(ident_t*, i32)> g_end_serialized{"__kmpc_end_serialized_parallel"};

} // namespace

extern "C" {

WSTREE_SAME_CALLER static inline void begin_serialized(ident_t* loc, i32 gtid) {
  const void* caller = WSTREE_CALLER;
  const bool is_runtimes = caller_is_runtime(caller); // which passes the program's place
  if (!is_runtimes) caller = code_about(loc, caller);
  const auto real = g_serialized.require(caller);
  if (!is_runtimes) {
    Place inside = runtime_place(caller);
    ++inside.level;
    push_alone(inside);
  }
  real(loc, gtid); // a jump: tools want the address of the program's call
}
WSTREE_SAME_CALLER static inline void end_serialized(ident_t* loc, i32 gtid) {
  const void* caller = WSTREE_CALLER;
  const bool is_runtimes = caller_is_runtime(caller);
  if (!is_runtimes) caller = code_about(loc, caller);
  const auto real = g_end_serialized.require(caller);
  if (t_frame != nullptr && !is_runtimes) pop_alone();
  real(loc, gtid);
}

/// A serialised region: between these two calls the compiled code runs its outlined function itself. libomp
/// calls them too if it forks no other thread; then our wrapper is between them and puts up the frame.
WSTREE_EXPORT void __kmpc_serialized_parallel(ident_t* loc, i32 gtid) {
  if (!active()) return hand_over<g_serialized>(loc, gtid);
  if (const auto own = g_serialized.known_to_runtime(WSTREE_CALLER)) return own(loc, gtid);
  begin_serialized(loc, gtid);
}

WSTREE_EXPORT void __kmpc_end_serialized_parallel(ident_t* loc, i32 gtid) {
  if (!active()) return hand_over<g_end_serialized>(loc, gtid);
  if (const auto own = g_end_serialized.known_to_runtime(WSTREE_CALLER)) return own(loc, gtid);
  end_serialized(loc, gtid);
}
}
