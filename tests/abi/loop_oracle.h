// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs lists of loops through the loop entries of the compiler's ABI and checks, in 128-bit arithmetic, what
// was handed out: every iteration once, bounds on the loop's lattice, one "last" chunk, which has the last
// iteration, and no chunk for a thread after it (compiled code copies a lastprivate variable out of that
// thread).
#pragma once

#include "check.h"
#include "loop_description.h"
#include "omp_decls.h"

#ifdef __clang__
#include "kmpc_walk.h"
#else
#include "gomp_walk.h"
#endif

#include <algorithm>
#include <sched.h>
#include <string>
#include <vector>

namespace oracle {

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
  bool deinit = true; ///< with the call at the end that newer kmpc compilers make; see gomp_walk.h for GCC's
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
void walk(const Loop& loop, std::uint32_t index, const Manner& manner, check::Random& random,
          std::vector<Chunk>& log) {
  Walk<T> walk(loop);
  bool had_last = false;
  for (std::uint64_t taken = 0; manner.most_chunks == 0 || taken < manner.most_chunks; ++taken) {
    Part<T> part;
    if (!walk.next(part)) break;
    CHECK(!had_last, "another chunk after the last one; %s", describe(loop, manner.team).c_str());
    had_last = part.last == 1;
    log.push_back(
        {static_cast<std::uint64_t>(part.lower), static_cast<std::uint64_t>(part.upper), index, part.last});
    pause_now_and_then(random, manner.jitter);
    if (manner.body_ns != 0)
      for (T i = part.lower; i <= part.upper; ++i) {
        const T place = manner.rising ? i + 1 : static_cast<T>(loop.upper) - i + 1;
        check::spin(manner.body_ns * static_cast<std::uint64_t>(place) /
                    static_cast<std::uint64_t>(trips(loop)));
      }
  }
  walk.leave(manner.barriers, manner.deinit);
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

/// Checks the chunks of one loop from all members. `drained`: no member left early,
/// so nothing may be missing.
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
  CHECK(count == 0 || !chunks.empty(), "no member got an iteration; %s", describe(loop, manner.team).c_str());
  CHECK(!drained || expected == count, "iterations from %s on were never handed out; %s",
        text(expected).c_str(), describe(loop, manner.team).c_str());
}

/// One parallel region through all loops, then the check of each. Returns their chunks.
inline std::vector<std::vector<Chunk>> run_region(const std::vector<Loop>& loops, const Manner& manner) {
  std::vector<std::vector<Chunk>> logs(static_cast<std::size_t>(manner.team));
  int members = 0;
#pragma omp parallel num_threads(manner.team)
  {
#pragma omp single
    members = omp_get_num_threads();
    const int me = omp_get_thread_num();
    check::Random random(manner.seed * 64 + static_cast<std::uint64_t>(me));
    for (std::uint32_t i = 0; i < loops.size(); ++i) {
      with_type(loops[i].type, [&](auto tag) {
        walk<typename decltype(tag)::Value>(loops[i], i, manner, random, logs[static_cast<std::size_t>(me)]);
      });
    }
  }
  CHECK(members == manner.team, "asked for %d threads, got %d", manner.team, members);
  std::vector<std::vector<Chunk>> by_loop(loops.size());
  for (const std::vector<Chunk>& log : logs)
    for (const Chunk& chunk : log) by_loop[chunk.loop].push_back(chunk);
  for (std::size_t i = 0; i < loops.size(); ++i) verify(loops[i], by_loop[i], manner);
  return by_loop;
}

} // namespace oracle
