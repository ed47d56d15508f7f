// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static loops of LLVM's interface: the runtime chooses a thread's part of the loop, and we replace it by
// another part where WSTREE_LOOPS names static loops and the region has been measured before.
#include "balanced_regions.h"
#include "canonical_loop.h"
#include "export.h"
#include "kmpc/pieces.h"
#include "kmpc/types.h"
#include "resolve/runtime.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace {

using namespace wstree::abi;
using namespace wstree;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;

/// The bounds of one part, and the loop that it is a part of.
template <class T> class StaticPart {
public:
  using S = std::make_signed_t<T>;
  StaticPart(const T* lower, const T* upper, S step) noexcept : loop_(*lower, *upper, step) {}

  /// The runtime has written the part that it gives to the thread: replaces it by ours, if there is one, and
  /// begins to take the time.
  void enter(Frame& frame, i32* last, T* lower, T* upper) const noexcept {
    const std::uint32_t members = frame.member.members();
    const std::uint32_t index = frame.member.index();
    const std::uint64_t n = loop_.iterations();
    if (!loop_.countable() || !core::Balance::can_cut(n, members)) return;
    BalancedRegion& region = *frame.statics.region();
    const loop::BalancedLoops* known = region.find(n, members);
    if (known != nullptr && !known->is_watched) return;
    loop::StaticAccount::Entry* entry = region.entry(index, members, n);
    const bool is_equal = known == nullptr || known->balance.is_equal();
    if (is_equal) {
      // KMP_SCHEDULE may ask for other parts than those that we take for equal.
      if (*lower != loop_.at(core::equal_bound(n, members, index))) return;
    } else {
      const std::uint64_t end = known->balance.bound(index + 1);
      *lower = loop_.at(known->balance.bound(index));
      *upper = loop_.at(end - 1);
      if (last != nullptr) *last = end == n ? 1 : 0;
    }
    if (entry == nullptr) return;
    if (session().traced) [[unlikely]] {
      const auto bound = [&](std::uint32_t part) {
        return is_equal ? core::equal_bound(n, members, part) : known->balance.bound(part);
      };
      region.note_part(index, bound(index), bound(index + 1), is_equal);
    }
    frame.statics.enter(entry);
  }

  /// The runtime cuts the loop.
  void keep_equal(Frame& frame, const void* caller) const noexcept {
    keep_equal_parts(frame, loop_.iterations(), caller);
  }

private:
  loop::CanonicalLoop<T> loop_;
};

/// Returns whether the call is about a loop with a static schedule without a chunk, or with no schedule. The
/// sections of clang look the same but for their flags.
bool is_plain(const ident_t* loc, i32 schedule) noexcept {
  return kmpc::kind_of(schedule) == kmpc::k_static &&
         (loc == nullptr || (loc->flags & (kmpc::k_of_sections | kmpc::k_of_distribute)) == 0);
}

template <class T> class StaticEntry {
public:
  using S = std::make_signed_t<T>;
  constexpr explicit StaticEntry(const char* name) noexcept : init_(name) {}

  /// The function of a region asks that its member may call again for each piece of the loop.
  [[gnu::noinline]] void init_piece(kmpc::MemberPieces& pieces, ident_t* loc, i32 gtid, i32 schedule,
                                    i32* last, T* lower, T* upper, S* stride, S step, S chunk,
                                    const void* caller) noexcept {
    const loop::CanonicalLoop<T> loop(*lower, *upper, step != 0 ? step : S{1});
    if (!pieces.is_cut()) init_.require(caller)(loc, gtid, schedule, last, lower, upper, stride, step, chunk);
    if (pieces.is_new())
      pieces.begin(loop, step != 0 && is_plain(loc, schedule) && !t_frame->loop.is_next_dependent() &&
                             t_frame->is_at(caller));
    if (pieces.is_cut()) pieces.answer(loop, last, lower, upper);
  }

  /// Inlined, so that the call of the runtime is a jump where nothing follows it: see LoopEntries.
  [[gnu::always_inline]] void init(ident_t* loc, i32 gtid, i32 schedule, i32* last, T* lower, T* upper,
                                   S* stride, S step, S chunk, const void* caller) noexcept {
    const auto real = init_.require(caller);
    if (active()) [[unlikely]] {
      if (kmpc::MemberPieces* pieces = kmpc::pieces_after(caller))
        return init_piece(*pieces, loc, gtid, schedule, last, lower, upper, stride, step, chunk, caller);
      Frame* frame = t_frame;
      const i32 kind = kmpc::kind_of(schedule);
      if (kind == kmpc::k_distribute || kind == kmpc::k_distribute_chunked) {
        t_in_distribute = session().balances;
      } else if (frame != nullptr && frame->statics.region() != nullptr && is_plain(loc, schedule) &&
                 step != 0 && frame->is_at(caller)) {
        const StaticPart<T> part(lower, upper, step);
        if (frame->loop.is_next_dependent()) {
          part.keep_equal(*frame, caller);
          return real(loc, gtid, schedule, last, lower, upper, stride, step, chunk);
        }
        real(loc, gtid, schedule, last, lower, upper, stride, step, chunk);
        part.enter(*frame, last, lower, upper);
        return;
      }
    }
    real(loc, gtid, schedule, last, lower, upper, stride, step, chunk);
  }

private:
  Real<void(ident_t*, i32, i32, i32*, T*, T*, S*, S, S)> init_;
};

constinit Real<void(ident_t*, i32)> g_fini{"__kmpc_for_static_fini"};

using Combine = void(void*, void*);
using Reduce = i32(ident_t*, i32, i32, std::size_t, void*, Combine*, void*);
using EndReduce = void(ident_t*, i32, void*);
constinit Real<Reduce> g_reduce_nowait{"__kmpc_reduce_nowait"};
constinit Real<Reduce> g_reduce{"__kmpc_reduce"};
constinit Real<EndReduce> g_end_reduce_nowait{"__kmpc_end_reduce_nowait"};
constinit Real<EndReduce> g_end_reduce{"__kmpc_end_reduce"};
constinit Real<EndReduce> g_critical{"__kmpc_critical"};
constinit Real<EndReduce> g_end_critical{"__kmpc_end_critical"};
// The answers of __kmpc_reduce: the program combines its values under a lock, or by atomic operations.
constexpr i32 k_by_lock = 1;
constexpr i32 k_by_atomics = 2;

/// Returns the member's pieces if it executes a piece whose values the program combines for itself; nullptr
/// otherwise. libomp may combine the values of all members in a tree, for which each of them has to come
/// once, and members come as often as they have pieces. Nothing stands behind the reduction, so they need not
/// wait there either.
[[gnu::always_inline]] inline kmpc::MemberPieces* combined_pieces() noexcept {
  kmpc::MemberPieces* const pieces = kmpc::own_pieces();
  return pieces != nullptr && pieces->is_cut() ? pieces : nullptr;
}
[[gnu::noinline]] i32 reduce_piece(kmpc::MemberPieces& pieces, ident_t* loc, i32 gtid, void* lock,
                                   const void* caller) {
  const bool by_atomics = loc != nullptr && (loc->flags & kmpc::k_atomic_reduction) != 0;
  pieces.set_locked(!by_atomics);
  if (by_atomics) return k_by_atomics;
  g_critical.require(caller)(loc, gtid, lock);
  return k_by_lock;
}
[[gnu::noinline]] void end_piece_reduction(kmpc::MemberPieces& pieces, ident_t* loc, i32 gtid, void* lock,
                                           const void* caller) {
  if (!pieces.is_locked()) return;
  pieces.set_locked(false);
  g_end_critical.require(caller)(loc, gtid, lock);
}

} // namespace

extern "C" {

#define WSTREE_STATIC_ENTRY(suffix, T, S)                                                                    \
  static constinit StaticEntry<T> g_static_##suffix{"__kmpc_for_static_init_" #suffix};                      \
  WSTREE_EXPORT void __kmpc_for_static_init_##suffix(ident_t* loc, i32 gtid, i32 schedule, i32* last,        \
                                                     T* lower, T* upper, S* stride, S step, S chunk) {       \
    g_static_##suffix.init(loc, gtid, schedule, last, lower, upper, stride, step, chunk, WSTREE_CALLER);     \
  }
WSTREE_STATIC_ENTRY(4, i32, i32)
WSTREE_STATIC_ENTRY(4u, u32, i32)
WSTREE_STATIC_ENTRY(8, i64, i64)
WSTREE_STATIC_ENTRY(8u, u64, i64)

WSTREE_EXPORT void __kmpc_for_static_fini(ident_t* loc, i32 gtid) {
  if (kmpc::MemberPieces* pieces = kmpc::own_pieces(); pieces != nullptr && pieces->take_next()) return;
  Frame* frame = t_frame;
  if (frame != nullptr && frame->statics.in_loop()) [[unlikely]] {
    if (session().traced)
      leave_traced_part(*frame);
    else
      frame->statics.leave();
  } else if (t_in_distribute && (frame == nullptr || frame->is_alone())) {
    t_in_distribute = false;
  }
  g_fini.require(code_about(loc, WSTREE_CALLER))(loc, gtid);
}

WSTREE_EXPORT i32 __kmpc_reduce_nowait(ident_t* loc, i32 gtid, i32 count, std::size_t size, void* data,
                                       Combine* combine, void* lock) {
  const void* caller = code_about(loc, WSTREE_CALLER);
  if (kmpc::MemberPieces* pieces = combined_pieces()) return reduce_piece(*pieces, loc, gtid, lock, caller);
  return g_reduce_nowait.require(caller)(loc, gtid, count, size, data, combine, lock);
}
WSTREE_EXPORT i32 __kmpc_reduce(ident_t* loc, i32 gtid, i32 count, std::size_t size, void* data,
                                Combine* combine, void* lock) {
  const void* caller = code_about(loc, WSTREE_CALLER);
  if (kmpc::MemberPieces* pieces = combined_pieces()) return reduce_piece(*pieces, loc, gtid, lock, caller);
  return g_reduce.require(caller)(loc, gtid, count, size, data, combine, lock);
}
WSTREE_EXPORT void __kmpc_end_reduce_nowait(ident_t* loc, i32 gtid, void* lock) {
  const void* caller = code_about(loc, WSTREE_CALLER);
  if (kmpc::MemberPieces* pieces = combined_pieces())
    return end_piece_reduction(*pieces, loc, gtid, lock, caller);
  g_end_reduce_nowait.require(caller)(loc, gtid, lock);
}
WSTREE_EXPORT void __kmpc_end_reduce(ident_t* loc, i32 gtid, void* lock) {
  const void* caller = code_about(loc, WSTREE_CALLER);
  if (kmpc::MemberPieces* pieces = combined_pieces())
    return end_piece_reduction(*pieces, loc, gtid, lock, caller);
  g_end_reduce.require(caller)(loc, gtid, lock);
}
}
