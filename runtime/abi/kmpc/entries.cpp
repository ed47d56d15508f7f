// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop entry points of LLVM's libomp. Here are only the names; loop_entry.h and loops.h decide.
#include "export.h"
#include "kmpc/loops.h"

#include <cstdint>

namespace {

using namespace wstree::abi;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;

constinit Real<void(ident_t*, i32)> g_deinit{"__kmpc_dispatch_deinit", true};
constinit Real<void(ident_t*, i32, i32, const void*)> g_doacross_init{"__kmpc_doacross_init"};
constinit Real<void(ident_t*, i32)> g_doacross_fini{"__kmpc_doacross_fini"};
constinit Real<i32(ident_t*, i32, i32)> g_cancel{"__kmpc_cancel"};
constinit Real<i32(ident_t*, i32, i32)> g_cancellation_point{"__kmpc_cancellationpoint"};

constexpr i32 k_cancel_parallel = 1;

/// Notes a cancellation: a thread that cancels its region, or learns of that, goes to the region's end and
/// waits there. Other threads may go through any number of loops before they learn of it, and must not wait
/// for it.
i32 note_cancelled(i32 cancelled, i32 kind, const void* caller) noexcept {
  Frame* frame = t_frame;
  if (cancelled == 0 || frame == nullptr || !frame->is_at(caller)) return cancelled;
  frame->statics.spoil();
  if (kind != k_cancel_parallel) return cancelled;
  if (frame->member.in_loop()) leave_loop(*frame);
  if (frame->may_serve()) frame->member.depart();
  return cancelled;
}

} // namespace

extern "C" {

// The entries for loop variables of type T, whose steps and chunks have the signed type S.
#define WSTREE_LOOP_ENTRIES(suffix, T, S)                                                                    \
  static constinit LoopEntries<T> g_loops_##suffix{                                                          \
      "__kmpc_dispatch_init_" #suffix, "__kmpc_dispatch_next_" #suffix, "__kmpc_dispatch_fini_" #suffix,     \
      "__kmpc_dist_dispatch_init_" #suffix};                                                                 \
  WSTREE_SAME_CALLER static inline void init_##suffix(ident_t* loc, i32 gtid, i32 schedule, T lb, T ub,      \
                                                      S st, S chunk) {                                       \
    g_loops_##suffix.init(loc, gtid, schedule, lb, ub, st, chunk, WSTREE_CALLER);                            \
  }                                                                                                          \
  WSTREE_EXPORT void __kmpc_dispatch_init_##suffix(ident_t* loc, i32 gtid, i32 schedule, T lb, T ub, S st,   \
                                                   S chunk) {                                                \
    if (!active()) return hand_over<g_loops_##suffix>(loc, gtid, schedule, lb, ub, st, chunk);               \
    init_##suffix(loc, gtid, schedule, lb, ub, st, chunk);                                                   \
  }                                                                                                          \
  WSTREE_SAME_CALLER static inline i32 next_elsewhere_##suffix(ident_t* loc, i32 gtid, i32* last, T* lb,     \
                                                               T* ub, S* st) {                               \
    return g_loops_##suffix.next_elsewhere(loc, gtid, last, lb, ub, st, WSTREE_CALLER);                      \
  }                                                                                                          \
  WSTREE_EXPORT i32 __kmpc_dispatch_next_##suffix(ident_t* loc, i32 gtid, i32* last, T* lb, T* ub, S* st) {  \
    Frame* frame = t_frame;                                                                                  \
    if (!LoopEntries<T>::is_served(frame, last)) [[unlikely]]                                                \
      return next_elsewhere_##suffix(loc, gtid, last, lb, ub, st);                                           \
    return LoopEntries<T>::next(*frame, last, lb, ub, st);                                                   \
  }                                                                                                          \
  WSTREE_EXPORT void __kmpc_dispatch_fini_##suffix(ident_t* loc, i32 gtid) {                                 \
    g_loops_##suffix.fini(loc, gtid, code_about(loc, WSTREE_CALLER));                                        \
  }                                                                                                          \
  WSTREE_EXPORT void __kmpc_dist_dispatch_init_##suffix(ident_t* loc, i32 gtid, i32 schedule, i32* last,     \
                                                        T lb, T ub, S st, S chunk) {                         \
    g_loops_##suffix.dist_init(loc, gtid, schedule, last, lb, ub, st, chunk, WSTREE_CALLER);                 \
  }
WSTREE_LOOP_ENTRIES(4, i32, i32)
WSTREE_LOOP_ENTRIES(4u, u32, i32)
WSTREE_LOOP_ENTRIES(8, i64, i64)
WSTREE_LOOP_ENTRIES(8u, u64, i64)

/// Programs of clang 19 and later call this after every loop. With it they run on runtimes before 19 too,
/// which do not have it.
WSTREE_EXPORT void __kmpc_dispatch_deinit(ident_t* loc, i32 gtid) {
  if (t_frame != nullptr && t_frame->loop.is_unknown_to_runtime()) return;
  if (const auto next = g_deinit.find(code_about(loc, WSTREE_CALLER))) next(loc, gtid);
}

/// A loop with cross-iteration dependences arrives as a plain one after this call. The runtime has to
/// schedule it: with us a thread could wait for ever for an iteration that it holds itself.
WSTREE_EXPORT void __kmpc_doacross_init(ident_t* loc, i32 gtid, i32 dimensions, const void* bounds) {
  if (active())
    if (Frame* frame = innermost_frame(); frame != nullptr && frame->is_at(WSTREE_CALLER))
      frame->loop.set_next_dependent(true);
  g_doacross_init.require(WSTREE_CALLER)(loc, gtid, dimensions, bounds);
}

/// The mark is still there if the loop was a static one: its entry is not ours.
WSTREE_EXPORT void __kmpc_doacross_fini(ident_t* loc, i32 gtid) {
  if (t_frame != nullptr) t_frame->loop.set_next_dependent(false);
  g_doacross_fini.require(code_about(loc, WSTREE_CALLER))(loc, gtid);
}

WSTREE_EXPORT i32 __kmpc_cancel(ident_t* loc, i32 gtid, i32 kind) {
  if (!active()) return g_cancel.require(WSTREE_CALLER)(loc, gtid, kind);
  const ompt::OpenCall call(WSTREE_CALLER);
  return note_cancelled(g_cancel.require(WSTREE_CALLER)(loc, gtid, kind), kind, WSTREE_CALLER);
}

WSTREE_EXPORT i32 __kmpc_cancellationpoint(ident_t* loc, i32 gtid, i32 kind) {
  if (!active()) return g_cancellation_point.require(WSTREE_CALLER)(loc, gtid, kind);
  const ompt::OpenCall call(WSTREE_CALLER);
  return note_cancelled(g_cancellation_point.require(WSTREE_CALLER)(loc, gtid, kind), kind, WSTREE_CALLER);
}
}
