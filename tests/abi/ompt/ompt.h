// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of OMPT (OpenMP 5.2, chapter 19) that the tests use. Not every package of clang brings
// omp-tools.h.
#pragma once

#include <cstdint>

namespace ompt {

union Data {
  std::uint64_t value;
  void* pointer;
};
struct Chunk {
  std::uint64_t start, iterations;
};

using Function = void (*)();
using Lookup = Function (*)(const char*);
struct StartResult {
  int (*initialize)(Lookup, int, Data*);
  void (*finalize)(Data*);
  Data tool_data;
};
struct TaskFrame {
  Data exit, enter;
  int exit_flags, enter_flags;
};
using SetCallback = int (*)(int which, Function);

enum Event : int {
  thread_begin = 1,
  thread_end = 2,
  parallel_begin = 3,
  parallel_end = 4,
  task_create = 5,
  implicit_task = 7,
  sync_region_wait = 16,
  work = 20,
  masked = 21,
  sync_region = 23,
  mutex_acquire = 26,
  mutex_acquired = 27,
  cancel = 30,
  reduction = 31,
  dispatch = 32
};
inline constexpr int k_scope_begin = 1;
inline constexpr int k_work_loop = 1;
inline constexpr int k_work_loop_other = 13;

} // namespace ompt
