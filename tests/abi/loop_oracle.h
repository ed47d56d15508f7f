// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs lists of loops through the kmpc loop entries and checks, in 128-bit arithmetic, what was handed out:
// every iteration exactly once, bounds inclusive and on the loop's lattice, the stride returned, exactly one
// "last" flag and that one on the chunk with the last iteration, and no chunk for a thread after it had the
// last one (compiled code copies a lastprivate variable out of that thread when the loop is over).
#pragma once

#include "check.h"
#include "kmpc_abi.h"
#include "omp_decls.h"

#include <algorithm>
#include <limits>
#include <sched.h>
#include <string>
#include <vector>

namespace oracle {

__extension__ typedef __int128 Wide;

inline std::string text(Wide value) {
  if (value == 0) return "0";
  const bool negative = value < 0;
  std::string digits;
  for (; value != 0; value /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + (value < 0 ? -(value % 10) : value % 10)));
  return negative ? "-" + digits : digits;
}

enum class Type { i32, u32, i64, u64 };
constexpr Type k_types[] = {Type::i32, Type::u32, Type::i64, Type::u64};

template <class T> struct Tag { using Value = T; };

/// Calls body(Tag<T>{}) with the loop variable's type.
template <class Body> auto with_type(Type type, Body&& body) {
  switch (type) {
  case Type::i32:
    return body(Tag<std::int32_t>{});
  case Type::u32:
    return body(Tag<std::uint32_t>{});
  case Type::i64:
    return body(Tag<std::int64_t>{});
  default:
    return body(Tag<std::uint64_t>{});
  }
}

inline Wide lowest(Type type) {
  return with_type(type,
                   [](auto tag) { return Wide{std::numeric_limits<typename decltype(tag)::Value>::min()}; });
}
inline Wide highest(Type type) {
  return with_type(type,
                   [](auto tag) { return Wide{std::numeric_limits<typename decltype(tag)::Value>::max()}; });
}
/// Limits of the signed type that carries strides and chunks of loops of this type.
inline Wide lowest_stride(Type type) {
  return lowest(type == Type::i32 || type == Type::u32 ? Type::i32 : Type::i64);
}
inline Wide highest_stride(Type type) { return -lowest_stride(type) - 1; }

struct Loop {
  Type type = Type::i32;
  Wide lower = 0; ///< where the loop starts
  Wide upper = 0; ///< inclusive limit
  Wide stride = 1;
  Wide chunk = 1;
  std::int32_t schedule = kmpc::k_runtime | kmpc::k_nonmonotonic;
};

inline Wide trips(const Loop& loop) {
  const Wide span = loop.stride > 0 ? loop.upper - loop.lower : loop.lower - loop.upper;
  return span < 0 ? 0 : span / (loop.stride > 0 ? loop.stride : -loop.stride) + 1;
}

inline std::string describe(const Loop& loop, int team) {
  static const char* const names[] = {"i32", "u32", "i64", "u64"};
  return std::string(names[static_cast<int>(loop.type)]) + " lb=" + text(loop.lower) +
         " ub=" + text(loop.upper) + " st=" + text(loop.stride) + " chunk=" + text(loop.chunk) +
         " kind=" + text(loop.schedule) + " trips=" + text(trips(loop)) + " team=" + std::to_string(team);
}

struct Chunk {
  std::uint64_t lower, upper; ///< as handed out, widened from the loop's type
  std::uint32_t loop;
  std::int32_t last;
};

/// How the members of a team walk through the loops of a region.
struct Manner {
  int team = 2;
  std::uint64_t seed = 1;
  std::uint64_t most_chunks =
      0;                 ///< per member and loop; then it leaves as a cancelled member would. 0: until empty
  bool barriers = false; ///< between loops; otherwise as with nowait
  bool deinit = true;
  std::uint64_t body_ns = 0; ///< about so long takes the dearest iteration; of loops that start at 0
  bool rising = false;       ///< the last iteration is the dearest, otherwise the first
  unsigned jitter = 1;       ///< one chunk of jitter + 1 is followed by a pause; must be 2^k - 1
};

inline void pause_now_and_then(check::Random& random, unsigned jitter) {
  const std::uint64_t r = random.next();
  if ((r & jitter) == 0) check::spin((r >> 16) & 4095);
  if (((r >> 32) & (4 * jitter + 3)) == 0) sched_yield();
}

/// One member's part of one loop.
template <class T>
void walk(kmpc::Ident* ident, std::int32_t gtid, const Loop& loop, std::uint32_t index, const Manner& manner,
          check::Random& random, std::vector<Chunk>& log) {
  using Entries = kmpc::Entries<T>;
  using Stride = typename Entries::Stride;
  constexpr std::int32_t k_untouched = 0x5a5a5a5a;
  Entries::init(ident, gtid, loop.schedule, static_cast<T>(loop.lower), static_cast<T>(loop.upper),
                static_cast<Stride>(loop.stride), static_cast<Stride>(loop.chunk));
  bool had_last = false;
  for (std::uint64_t taken = 0; manner.most_chunks == 0 || taken < manner.most_chunks; ++taken) {
    T lower{}, upper{};
    Stride stride{};
    std::int32_t last = k_untouched;
    const int more = Entries::next(ident, gtid, &last, &lower, &upper, &stride);
    if (more == 0) {
      CHECK(last == k_untouched, "the last flag became %d in a call that handed out nothing; %s", last,
            describe(loop, manner.team).c_str());
      break;
    }
    CHECK(more == 1, "%d; %s", more, describe(loop, manner.team).c_str());
    CHECK(!had_last, "another chunk after the last one; %s", describe(loop, manner.team).c_str());
    CHECK(stride == static_cast<Stride>(loop.stride), "%lld; %s", static_cast<long long>(stride),
          describe(loop, manner.team).c_str());
    CHECK(last == 0 || last == 1, "%d; %s", last, describe(loop, manner.team).c_str());
    had_last = last == 1;
    log.push_back({static_cast<std::uint64_t>(lower), static_cast<std::uint64_t>(upper), index, last});
    pause_now_and_then(random, manner.jitter);
    if (manner.body_ns != 0)
      for (T i = lower; i <= upper; ++i) {
        const T place = manner.rising ? i + 1 : static_cast<T>(loop.upper) - i + 1;
        check::spin(manner.body_ns * static_cast<std::uint64_t>(place) /
                    static_cast<std::uint64_t>(trips(loop)));
      }
  }
  if (manner.deinit && kmpc::__kmpc_dispatch_deinit != nullptr) kmpc::__kmpc_dispatch_deinit(ident, gtid);
}

/// Iterations of one chunk, numbered from 0, both inclusive.
struct Span {
  Wide first, last;
  std::int32_t flag;
};

inline Span number(const Loop& loop, const Chunk& chunk, int team) {
  const auto widen = [&](std::uint64_t bits) {
    return with_type(loop.type,
                     [&](auto tag) { return Wide{static_cast<typename decltype(tag)::Value>(bits)}; });
  };
  const Wide from = (widen(chunk.lower) - loop.lower), to = (widen(chunk.upper) - loop.lower);
  CHECK(from % loop.stride == 0, "chunk starts at %s; %s", text(widen(chunk.lower)).c_str(),
        describe(loop, team).c_str());
  // A runtime may give the user's own limit for the final chunk although the stride steps over it.
  CHECK(to % loop.stride == 0 || widen(chunk.upper) == loop.upper, "chunk ends at %s; %s",
        text(widen(chunk.upper)).c_str(), describe(loop, team).c_str());
  const Span span{from / loop.stride, to / loop.stride, chunk.last};
  CHECK(span.first >= 0 && span.first <= span.last && span.last < trips(loop),
        "chunk of iterations %s..%s; %s", text(span.first).c_str(), text(span.last).c_str(),
        describe(loop, team).c_str());
  return span;
}

/// Checks the chunks of one loop from all members. `drained`: no member left early, so nothing may be
/// missing.
inline void verify(const Loop& loop, const std::vector<Chunk>& chunks, const Manner& manner) {
  const bool drained = manner.most_chunks == 0;
  std::vector<Span> spans;
  spans.reserve(chunks.size());
  for (const Chunk& chunk : chunks) spans.push_back(number(loop, chunk, manner.team));
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.first < b.first; });
  Wide expected = 0;
  const Wide count = trips(loop);
  for (const Span& span : spans) {
    CHECK(span.first >= expected, "iteration %s was handed out twice; %s", text(span.first).c_str(),
          describe(loop, manner.team).c_str());
    CHECK(!drained || span.first == expected, "iterations %s..%s were never handed out; %s",
          text(expected).c_str(), text(span.first - 1).c_str(), describe(loop, manner.team).c_str());
    CHECK((span.flag == 1) == (span.last == count - 1), "last=%d on iterations %s..%s; %s", span.flag,
          text(span.first).c_str(), text(span.last).c_str(), describe(loop, manner.team).c_str());
    expected = span.last + 1;
  }
  CHECK(!drained || expected == count, "iterations from %s on were never handed out; %s",
        text(expected).c_str(), describe(loop, manner.team).c_str());
}

/// One parallel region through all loops, then the check of each.
inline void run_region(const std::vector<Loop>& loops, const Manner& manner) {
  static kmpc::Ident ident;
  std::vector<std::vector<Chunk>> logs(static_cast<std::size_t>(manner.team));
  int members = 0;
#pragma omp parallel num_threads(manner.team)
  {
#pragma omp single
    members = omp_get_num_threads();
    const int me = omp_get_thread_num();
    const std::int32_t gtid = kmpc::__kmpc_global_thread_num(&ident);
    check::Random random(manner.seed * 64 + static_cast<std::uint64_t>(me));
    for (std::uint32_t i = 0; i < loops.size(); ++i) {
      with_type(loops[i].type, [&](auto tag) {
        walk<typename decltype(tag)::Value>(&ident, gtid, loops[i], i, manner, random,
                                            logs[static_cast<std::size_t>(me)]);
      });
      if (manner.barriers) {
#pragma omp barrier
      }
    }
  }
  CHECK(members == manner.team, "asked for %d threads, got %d", manner.team, members);
  std::vector<std::vector<Chunk>> by_loop(loops.size());
  for (const std::vector<Chunk>& log : logs)
    for (const Chunk& chunk : log) by_loop[chunk.loop].push_back(chunk);
  for (std::size_t i = 0; i < loops.size(); ++i) verify(loops[i], by_loop[i], manner);
}

} // namespace oracle
