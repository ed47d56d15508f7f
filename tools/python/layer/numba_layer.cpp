// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A threading layer of numba: prange, vectorize and guvectorize on the work-stealing tree.
//
// Compiled code calls get_sched_size for the number of pieces, do_scheduling_* for their bounds, and then
// parallel_for. Without a chunk size of the user a prange gets one piece, the whole space, and the tree cuts
// it while it is executed. With one, numba's own pieces are handed out by the tree.
#include "pool.h"
#include "watch.h"

#include <alloca.h>
#include <cstring>
#include <pthread.h>

#define LAYER_EXPORT __attribute__((visibility("default")))

namespace layer {
namespace {

constinit Pool pool;
constinit Watch watch;

void execute(Call& call, std::size_t items) {
  call.loop =
      call.threads > 1 ? wstree_loop_open(items, static_cast<unsigned>(call.threads), nullptr) : nullptr;
  if (call.loop == nullptr) { // alone; without memory too
    const Thread before = self;
    self = {call.threads, 0};
    call.kernel(call.arrays, call.counts, call.steps, call.data);
    self.id = before.id;
    return;
  }
  pool.execute(call);
  wstree_loop_close(call.loop);
}

/// Numba's own functions.
struct Scheduling {
  std::uintptr_t (*chunk_size)();
  std::uintptr_t (*sched_size)(std::uintptr_t threads, std::uintptr_t dimensions, std::intptr_t* starts,
                               std::intptr_t* ends);
  void (*cut_signed)(std::uintptr_t dimensions, std::intptr_t* starts, std::intptr_t* ends,
                     std::uintptr_t pieces, std::intptr_t* sched, std::intptr_t debug);
  void (*cut_unsigned)(std::uintptr_t dimensions, std::intptr_t* starts, std::intptr_t* ends,
                       std::uintptr_t pieces, std::intptr_t* sched, std::intptr_t debug);
};
constinit Scheduling numba{};

/// The prange whose parallel_for follows next on this thread.
struct Announced {
  bool is_whole = false;                // one piece: no chunk size was set
  const std::intptr_t* sched = nullptr; // array of its bounds, after do_scheduling
  std::size_t dimensions = 0;
};
constinit thread_local Announced announced;

/// The iterations of a range as boxes, each of which is a call of the kernel.
class Boxes {
public:
  Boxes(const Call& call, std::intptr_t* box, char** arrays, std::size_t* counts) noexcept
      : call_{call}, space_{reinterpret_cast<const std::intptr_t*>(call.arrays[0])}, box_{box},
        arrays_{arrays}, counts_{counts} {}

  /// Iterations of the dimensions from `dimension` on.
  std::size_t volume(std::size_t dimension) const noexcept {
    std::size_t product = 1;
    for (; dimension < call_.dimensions; ++dimension) {
      const std::intptr_t first = space_[dimension];
      const std::intptr_t last = space_[dimension + call_.dimensions];
      product *= last < first ? 0 : static_cast<std::size_t>(last - first) + 1;
    }
    return product;
  }

  void execute(std::size_t begin, std::size_t end) const { execute(0, begin, end); }

private:
  void set(std::size_t dimension, std::size_t first, std::size_t last) const noexcept {
    const auto start = static_cast<std::size_t>(space_[dimension]);
    box_[dimension] = static_cast<std::intptr_t>(start + first);
    box_[dimension + call_.dimensions] = static_cast<std::intptr_t>(start + last);
  }

  void execute_box() const {
    std::memcpy(arrays_, call_.arrays, call_.array_count * sizeof(char*));
    std::memcpy(counts_, call_.counts, (call_.inner_counts + 1) * sizeof(std::size_t));
    arrays_[0] = reinterpret_cast<char*>(box_);
    counts_[0] = 1;
    call_.kernel(arrays_, counts_, call_.steps, call_.data);
  }

  void execute(std::size_t dimension, std::size_t begin, std::size_t end) const {
    if (dimension + 1 == call_.dimensions) {
      set(dimension, begin, end - 1);
      execute_box();
      return;
    }
    const std::size_t row = volume(dimension + 1);
    std::size_t first = begin / row;
    const std::size_t last = end / row;
    const auto part_of_row = [&](std::size_t index, std::size_t from, std::size_t to) {
      set(dimension, index, index);
      execute(dimension + 1, from, to);
    };
    if (first == last) return part_of_row(first, begin % row, end % row);
    if (begin % row != 0) part_of_row(first++, begin % row, row);
    if (first < last) {
      set(dimension, first, last - 1);
      std::memcpy(box_ + dimension + 1, space_ + dimension + 1,
                  (call_.dimensions - dimension - 1) * sizeof(*box_));
      std::memcpy(box_ + call_.dimensions + dimension + 1, space_ + call_.dimensions + dimension + 1,
                  (call_.dimensions - dimension - 1) * sizeof(*box_));
      execute_box();
    }
    if (end % row != 0) part_of_row(last, 0, end % row);
  }

  const Call& call_;
  const std::intptr_t* space_;
  std::intptr_t* box_;
  char** arrays_;
  std::size_t* counts_;
};

void cut(decltype(Scheduling::cut_signed) of_numba, std::uintptr_t dimensions, std::intptr_t* starts,
         std::intptr_t* ends, std::uintptr_t pieces, std::intptr_t* sched, std::intptr_t debug) {
  if (!announced.is_whole) return of_numba(dimensions, starts, ends, pieces, sched, debug);
  std::memcpy(sched, starts, dimensions * sizeof(*sched));
  std::memcpy(sched + dimensions, ends, dimensions * sizeof(*sched));
  announced = {false, sched, dimensions};
}

} // namespace

void Call::execute(unsigned member) const {
  auto** const my_arrays = static_cast<char**>(alloca(array_count * sizeof(char*)));
  auto* const my_counts = static_cast<std::size_t*>(alloca((inner_counts + 1) * sizeof(std::size_t)));
  auto* const box = static_cast<std::intptr_t*>(alloca((2 * dimensions + 1) * sizeof(std::intptr_t)));
  const Boxes boxes{*this, box, my_arrays, my_counts};
  unsigned long long begin = 0;
  unsigned long long end = 0;
  while (wstree_loop_next(loop, member, &begin, &end) != 0) {
    if (dimensions != 0) {
      boxes.execute(begin, end);
      continue;
    }
    std::memcpy(my_counts, counts, (inner_counts + 1) * sizeof(std::size_t));
    my_counts[0] = end - begin;
    for (std::size_t i = 0; i < array_count; ++i)
      my_arrays[i] =
          arrays[i] == nullptr ? nullptr : arrays[i] + static_cast<std::ptrdiff_t>(steps[i] * begin);
    kernel(my_arrays, my_counts, steps, data);
  }
}

} // namespace layer

using namespace layer;

extern "C" {

/// Keeps numba's own functions, which cut a space for chunk sizes of the user.
LAYER_EXPORT void wstree_numba_use(decltype(Scheduling::chunk_size) chunk_size,
                                   decltype(Scheduling::sched_size) sched_size,
                                   decltype(Scheduling::cut_signed) cut_signed,
                                   decltype(Scheduling::cut_unsigned) cut_unsigned) {
  numba = {chunk_size, sched_size, cut_signed, cut_unsigned};
}

LAYER_EXPORT void wstree_numba_launch_threads(int count) {
  static bool is_launched = false; // numba holds a lock
  if (is_launched || count < 1) return;
  is_launched = true;
  pool.set_threads(count);
  pthread_atfork(nullptr, nullptr, [] { pool.forget(); });
}

LAYER_EXPORT void wstree_numba_set_num_threads(int count) { self.mask = count; }

LAYER_EXPORT int wstree_numba_get_num_threads() {
  if (self.mask == 0) self.mask = pool.threads();
  return self.mask;
}

LAYER_EXPORT int wstree_numba_get_thread_id() { return self.id; }

LAYER_EXPORT std::uintptr_t wstree_numba_get_sched_size(std::uintptr_t threads, std::uintptr_t dimensions,
                                                        std::intptr_t* starts, std::intptr_t* ends) {
  announced = {numba.chunk_size() == 0, nullptr, 0};
  return announced.is_whole ? 1 : numba.sched_size(threads, dimensions, starts, ends);
}

LAYER_EXPORT void wstree_numba_do_scheduling_signed(std::uintptr_t dimensions, std::intptr_t* starts,
                                                    std::intptr_t* ends, std::uintptr_t pieces,
                                                    std::intptr_t* sched, std::intptr_t debug) {
  cut(numba.cut_signed, dimensions, starts, ends, pieces, sched, debug);
}

LAYER_EXPORT void wstree_numba_do_scheduling_unsigned(std::uintptr_t dimensions, std::intptr_t* starts,
                                                      std::intptr_t* ends, std::uintptr_t pieces,
                                                      std::intptr_t* sched, std::intptr_t debug) {
  cut(numba.cut_unsigned, dimensions, starts, ends, pieces, sched, debug);
}

LAYER_EXPORT void wstree_numba_parallel_for(Call::Kernel kernel, char** arrays, std::size_t* counts,
                                            std::size_t* steps, void* data, std::size_t inner_counts,
                                            std::size_t array_count, int threads) {
  Call call{kernel, arrays, counts, steps, data, inner_counts, array_count, threads, 0, nullptr};
  if (announced.sched != nullptr && arrays[0] == reinterpret_cast<const char*>(announced.sched))
    call.dimensions = announced.dimensions;
  announced = {};
  const std::size_t items =
      call.dimensions != 0 ? Boxes{call, nullptr, nullptr, nullptr}.volume(0) : counts[0];
  if (items == 0) return;
  if (!watch.is_on()) return execute(call, items);
  const auto start = std::chrono::steady_clock::now();
  execute(call, items);
  watch.add(reinterpret_cast<const void*>(kernel), items, std::chrono::steady_clock::now() - start);
}

LAYER_EXPORT void wstree_numba_watch() { watch.start(); }

/// Stores calls, iterations and nanoseconds of a kernel in `figures`.
LAYER_EXPORT void wstree_numba_figures(const void* kernel, std::uint64_t* figures) {
  const Watch::Figures all = watch.of(kernel);
  figures[0] = all.calls;
  figures[1] = all.iterations;
  figures[2] = all.ns;
}
}
