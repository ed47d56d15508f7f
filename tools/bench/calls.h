// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What single calls of the loop interface cost in this process.
#pragma once
#include <string>
#include <vector>

namespace bench {

struct Figure {
  std::string name; ///< measure/schedule/P=threads[/n=trips]
  double ns;
};

struct CallSettings {
  int threads;      ///< measured with one thread and, if greater, with this many
  int batches;      ///< a figure is the median of as many timings
  int loops;        ///< loops a timing
  double max_delay; ///< a timing is not used if its threads waited for longer than this part of it
};

/// Entering and leaving loops of one iteration and of as many as there are threads, with the barrier and (of
/// one iteration, back to back) without; entering a region, and one that is a loop; taking a chunk. The
/// schedule wstree is among them if `with_library`.
std::vector<Figure> measure_calls(const CallSettings& settings, bool with_library);

/// Taking a chunk alone, under wstree alone: for a process whose WSTREE_BATCH makes the batches small.
std::vector<Figure> measure_next(const CallSettings& settings);

} // namespace bench
