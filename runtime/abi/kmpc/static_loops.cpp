// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static loops of LLVM's interface: the runtime says which part of the loop a thread gets, and we replace
// that by another part where WSTREE_LOOPS names static loops and the region has been measured before.
#include "balanced_regions.h"
#include "canonical_loop.h"
#include "export.h"
#include "kmpc/types.h"
#include "resolve/runtime.h"

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

/// Whether the call is about a loop that says static without a chunk, or nothing. The sections of clang look
/// the same but for their flags.
bool is_plain(const ident_t* loc, i32 schedule) noexcept {
  return kmpc::kind_of(schedule) == kmpc::k_static &&
         (loc == nullptr || (loc->flags & (kmpc::k_of_sections | kmpc::k_of_distribute)) == 0);
}

template <class T> class StaticEntry {
public:
  using S = std::make_signed_t<T>;
  constexpr explicit StaticEntry(const char* name) noexcept : init_(name) {}

  /// Inlined, so that the call of the runtime is a jump where nothing follows it: see LoopEntries.
  [[gnu::always_inline]] void init(ident_t* loc, i32 gtid, i32 schedule, i32* last, T* lower, T* upper,
                                   S* stride, S step, S chunk, const void* caller) noexcept {
    const auto real = init_.require(caller);
    if (active()) [[unlikely]] {
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
}
