// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kmpc/ruled_threads.h"

#include "export.h"
#include "loop_entry.h"
#include "resolve/runtime.h"

#include <cstdint>
#include <utility>

namespace wstree::abi {
namespace {

using i32 = std::int32_t;

constinit Real<void(ident_t*, i32, i32)> g_push{"__kmpc_push_num_threads", true};
constinit Real<void(ident_t*, i32, i32, int, const char*)> g_push_strict{"__kmpc_push_num_threads_strict"};

/// The calling thread's next region has num_threads(1).
constinit thread_local bool t_asks_for_one __attribute__((tls_model("initial-exec"))) = false;

} // namespace

void ask_for_threads(ident_t* loc, const void* caller) noexcept {
  static constinit Real<i32(ident_t*)> thread_number{"__kmpc_global_thread_num"};
  const bool asks_for_one = std::exchange(t_asks_for_one, false);
  const std::uint64_t threads = ruling_of(caller, loc != nullptr ? loc->psource : nullptr, t_label).threads();
  if (threads == 0 || asks_for_one) return;
  if (const auto push = g_push.find(caller))
    push(loc, thread_number.require(caller)(loc), static_cast<i32>(threads));
}

} // namespace wstree::abi

extern "C" {

using namespace wstree::abi;

/// Before the fork of a region with the clause num_threads.
WSTREE_EXPORT void __kmpc_push_num_threads(ident_t* loc, i32 gtid, i32 threads) {
  t_asks_for_one = threads == 1;
  g_push.require(WSTREE_CALLER)(loc, gtid, threads);
}
/// Sets the number of threads with the modifier strict, in programs of newer compilers.
WSTREE_EXPORT void __kmpc_push_num_threads_strict(ident_t* loc, i32 gtid, i32 threads, int severity,
                                                  const char* message) {
  t_asks_for_one = threads == 1;
  g_push_strict.require(WSTREE_CALLER)(loc, gtid, threads, severity, message);
}
}
