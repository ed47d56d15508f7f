// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of OMPT (OpenMP 5.2, chapter 19) that this library uses and defines.
#pragma once

#include <cstdint>

namespace wstree::abi::ompt {

union Data {
  std::uint64_t value;
  void* pointer;
};

using Function = void (*)();
using Lookup = Function (*)(const char* name);
struct StartResult {
  int (*initialize)(Lookup, int initial_device, Data* tool);
  void (*finalize)(Data* tool);
  Data tool;
};
using StartTool = StartResult*(unsigned version, const char* runtime);

using SetCallback = int (*)(int event, Function);
using GetCallback = int (*)(int event, Function*);
using GetTaskInfo = int (*)(int ancestor, int* flags, Data** task, void** frame, Data** parallel,
                            int* thread);

// Events.
inline constexpr int k_parallel_begin = 3;
inline constexpr int k_parallel_end = 4;
inline constexpr int k_sync_region_wait = 16;
inline constexpr int k_mutex_released = 17;
inline constexpr int k_work = 20;
inline constexpr int k_sync_region = 23;
inline constexpr int k_cancel = 30;
inline constexpr int k_dispatch = 32;

using ParallelBegin = void (*)(Data* task, const void* frame, Data* parallel, unsigned threads, int flags,
                               const void* code);
using ParallelEnd = void (*)(Data* parallel, Data* task, int flags, const void* code);
using SyncRegion = void (*)(int kind, int endpoint, Data* parallel, Data* task, const void* code);
using Work = void (*)(int kind, int endpoint, Data* parallel, Data* task, std::uint64_t count,
                      const void* code);
using Released = void (*)(int kind, std::uint64_t mutex, const void* code);
using Cancel = void (*)(Data* task, int flags, const void* code);
using Dispatch = void (*)(Data* parallel, Data* task, int kind, Data instance);

inline constexpr int k_begin = 1; // endpoints
inline constexpr int k_end = 2;
inline constexpr int k_work_loop = 1;
inline constexpr int k_dispatch_chunk = 3;

/// What the instance of a dispatch event points to.
struct Chunk {
  std::uint64_t start;
  std::uint64_t iterations;
};

} // namespace wstree::abi::ompt
