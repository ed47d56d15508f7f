// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: debuggers, profilers and exceptions walk up the stack from the body of a loop, through the frames
// of the library and of the runtime, to where the thread began.
#include "hits.h"
#include "omp_decls.h"

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <unwind.h>

namespace {

int run(int argc, char** argv);

using check::Hits;

constexpr int k_n = 200;

struct Walk {
  int frames = 0;
  bool has_begin = false;
  bool has_opener = false;
  const void* opener = nullptr;
};

_Unwind_Reason_Code look(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  const auto at = static_cast<std::uintptr_t>(_Unwind_GetIP(context));
  const void* const function = _Unwind_FindEnclosingFunction(reinterpret_cast<void*>(at - 1));
  if (function == reinterpret_cast<const void*>(&run)) walk.has_begin = true;
  if (function == walk.opener) walk.has_opener = true;
  return ++walk.frames < 200 ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

/// By a member, in the body of a loop. Only the thread that opened the region came from `opener`.
[[gnu::noinline]] void walk_up(bool is_opener, const void* opener) {
  Walk walk;
  walk.opener = opener;
  const _Unwind_Reason_Code end = _Unwind_Backtrace(look, &walk);
  CHECK(end == _URC_END_OF_STACK, "the walk ends with %d after %d frames", static_cast<int>(end),
        walk.frames);
  CHECK(walk.has_opener == is_opener, "%s the function that opened the region in %d frames",
        is_opener ? "misses" : "has", walk.frames);
  CHECK(walk.has_begin == is_opener, "%s the beginning of the program in %d frames",
        is_opener ? "misses" : "has", walk.frames);
  CHECK(walk.frames >= 3, "%d frames only", walk.frames);
}

/// A loop whose bodies look up the stack; the region was opened by `opener`.
#define WALKING(directive, hits, opener)                                                                     \
  _Pragma(directive) for (int i = 0; i < k_n; ++i) {                                                         \
    hits.touch(i);                                                                                           \
    walk_up(omp_get_thread_num() == 0, reinterpret_cast<const void*>(&opener));                              \
  }

[[gnu::noinline]] void loops_in_a_region() {
  Hits first(k_n), second(k_n);
#pragma omp parallel
  {WALKING("omp for schedule(runtime) nowait", first, loops_in_a_region) WALKING(
      "omp for schedule(dynamic, 3)", second, loops_in_a_region)} first.must_be_one_each("loop in a region");
  second.must_be_one_each("loop of the runtime");
}

/// Of one thread, too, or serialised.
[[gnu::noinline]] void combined_loop(int threads, bool serial) {
  Hits hits(k_n);
  WALKING("omp parallel for schedule(runtime) num_threads(threads) if (!serial)", hits, combined_loop)
  hits.must_be_one_each("combined loop");
}
void combined_loops() {
  for (int round = 0; round < check::repeat(10, 100); ++round)
    for (int threads = 1; threads <= 4; ++threads) combined_loop(threads, (round + threads) % 4 == 3);
}

/// More shared variables than registers hold: the region's arguments are on the stack.
[[gnu::noinline]] void many_arguments() {
  const auto opener = reinterpret_cast<const void*>(&many_arguments);
  long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, k = 9, l = 10;
  Hits hits(k_n);
#pragma omp parallel for schedule(runtime) firstprivate(a, c, e, g) shared(b, d, f, h, k, l)
  for (int i = 0; i < k_n; ++i) {
    CHECK(a + b + c + d + e + f + g + h + k + l == 55, "an argument is lost in iteration %d", i);
    hits.touch(i);
    walk_up(omp_get_thread_num() == 0, opener);
  }
  hits.must_be_one_each("many arguments");
}

void exceptions_caught_in_the_body() {
  for (int round = 0; round < check::repeat(20, 300); ++round) {
    check::HitsList hits = check::hits_list(3, k_n);
    std::atomic<int> caught{0};
#pragma omp parallel
    {
      for (Hits& each : hits) {
#pragma omp for schedule(runtime)
        for (std::size_t i = 0; i < k_n; ++i) {
          try {
            each.touch(i);
            if (i % 10 == 3) throw std::runtime_error("inside a chunk");
          } catch (const std::runtime_error&) {
            ++caught;
          }
        }
        try { // inside the region, around no loop
          if (omp_get_thread_num() == 0) throw 1;
        } catch (int) {
        }
      }
    }
    CHECK(caught == 60, "%d", caught.load());
    check::must_be_one_each(hits, "loops that throw inside");
  }
}

/// main() calls it, whose address a program must not take.
[[gnu::noinline]] int run(int argc, char** argv) {
  omp_set_dynamic(0);
  const int status = check::run(argc, argv,
                                {CASE(loops_in_a_region), CASE(combined_loops), CASE(many_arguments),
                                 CASE(exceptions_caught_in_the_body)});
  std::fflush(stdout); // no tail call
  return status;
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv); }
