// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Costs of single calls of the loop interface in this process.
#pragma once
#include <string>
#include <vector>

namespace bench {

struct Figure {
  std::string name; ///< measure/schedule/P=threads[/n=trips]
  double ns;
};

/// The schedules unless the user chooses some, all kinds of the library beside three of the runtime's, and
/// the schedules for even loops, separated by blanks.
inline constexpr const char* k_usual_schedules = "static dynamic,1 guided schedule(dynamic) wstree";
std::string model_schedules();
std::string even_schedules();

struct CallSettings {
  int threads;      ///< measured with one thread and, if greater, with this many
  int batches;      ///< a figure is the median of as many timings
  int loops;        ///< loops a timing
  double max_delay; ///< a timing is not used if its threads waited for longer than this part of it
  std::string schedules = k_usual_schedules;
};

/// Returns the first word of the list that is no schedule to measure; empty if there is none.
std::string unknown_schedule(const std::string& list);

/// Measures entering and leaving loops of one iteration and of as many as there are threads, with the barrier
/// and (of one iteration, back to back) without; entering a region, and one that is a loop; taking a chunk.
/// The library's schedules are left out unless `with_library`.
std::vector<Figure> measure_calls(const CallSettings& settings, bool with_library);

/// Measures each call of a loop by itself: entry, a chunk, the answer that there is none; a chunk of a long
/// loop, and with two threads one that was another's.
std::vector<Figure> measure_anatomy(const CallSettings& settings, bool with_library);

/// Measures the loss with an even loop of a microsecond of work, as a loop in a region and as a region of its
/// own: its time without the work on that many processors.
std::vector<Figure> measure_even(const CallSettings& settings, bool with_library);

} // namespace bench
