// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of threads for the tool of libgomp, and the state that the files about that tool share.
#pragma once

#include "ompt/libgomp.h"

#include <pthread.h>

namespace wstree::abi::ompt {

// States of threads.
inline constexpr int k_serial = 0x000;
inline constexpr int k_parallel = 0x001;
inline constexpr int k_in_region_barrier = 0x011;
inline constexpr int k_in_loop_barrier = 0x012;
inline constexpr int k_in_barrier = 0x015;
inline constexpr int k_idle = 0x100;
inline constexpr int k_undefined = 0x102;

struct Thread {
  explicit Thread(int which) noexcept;

  int kind;
  int barrier = 0; // its state while it waits in a barrier; 0: it does not
  Data data{};
  Data around{}; // data of the implicit region around `outermost`
  Task outermost;
  Task* task; // the innermost one; nullptr: a worker between regions

  int state() const noexcept {
    if (barrier != 0) return barrier;
    if (task == nullptr) return k_idle;
    return task->region == nullptr ? k_serial : k_parallel;
  }
};

/// The calling thread's record; nullptr: the tool has not heard of it. Signal handlers of tools read it.
extern constinit thread_local Thread* t_thread __attribute__((tls_model("initial-exec")));

extern Callbacks g_told_by_us;

/// Its value in a thread is t_thread again, and end_thread() its destructor. The thread that lets the tool
/// begin makes the key.
extern pthread_key_t g_thread_key;
void end_thread(void* thread) noexcept;
/// Calls the tool for the end of the calling thread.
void tell_end_of(Thread& thread) noexcept;

/// Returns the function of that name for a tool; nullptr: we do not have it.
Function look_up_ours(const char* name);
/// Returns some code that runs on the runtime in question.
const void* told_code() noexcept;
/// The tool ends: it is told the last events, and no more.
void finalize_tool() noexcept;

} // namespace wstree::abi::ompt
