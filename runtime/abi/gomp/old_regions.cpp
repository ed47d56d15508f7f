// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions of programs that compilers before GCC 4.9 made.
#include "export.h"
#include "gomp/loops.h"

namespace {

using namespace wstree::abi;
using namespace wstree::abi::gomp;
using Outlined = void (*)(void*);

/// Opens a region with a loop. No wrapper encloses its first member, so the
/// runtime serves the loop.
void start_old_region(Outlined function, void* data, unsigned threads, long start, long end, long increment,
                      const void* caller) noexcept {
  static constinit Real<void(Outlined, void*, unsigned, long, long, long)> asking{
      "GOMP_parallel_loop_runtime_start"};
  using Chunked = Real<void(Outlined, void*, unsigned, long, long, long, long)>;
  static constinit Chunked telling[3] = {Chunked{"GOMP_parallel_loop_static_start"},
                                         Chunked{"GOMP_parallel_loop_dynamic_start"},
                                         Chunked{"GOMP_parallel_loop_guided_start"}};
  if (active() && task_schedule(caller).ours) {
    const Fallback instead = fallback(wstree::loop::HalfOpenLoop(start, end, increment));
    if (const auto real = telling[instead.kind - k_static].find(caller))
      return real(function, data, threads, start, end, increment, instead.chunk);
  }
  asking.require(caller)(function, data, threads, start, end, increment);
}

} // namespace

extern "C" {

WSTREE_EXPORT void GOMP_parallel_loop_runtime_start(Outlined function, void* data, unsigned threads,
                                                    long start, long end, long increment) {
  start_old_region(function, data, threads, start, end, increment,
                   code_about(reinterpret_cast<const void*>(function), WSTREE_CALLER));
}
}
