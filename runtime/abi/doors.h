// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that have doors (resolve/binding.h), and those that callers need not come to us for.
#pragma once

#include "export.h"
#include "resolve/binding.h"

namespace wstree::abi {

// The functions behind the doors, by number; 0 is no door, but the exported function. As last things they
// call the runtime by a jump.
template <unsigned door> void set_schedule_at(int kind, int chunk);
template <unsigned door> void set_schedule_from(const int* kind, const int* chunk);
template <unsigned door> void get_schedule_at(int* kind, int* chunk);
template <unsigned door> int num_procs_at();
template <unsigned door> int num_threads_at();
template <unsigned door> int thread_num_at();
namespace gomp {
template <unsigned door> void end_loop_at();
template <unsigned door> void end_loop_nowait_at();
template <unsigned door> void end_sections_at();
template <unsigned door> void end_sections_nowait_at();
template <unsigned door> void wait_at();
} // namespace gomp

// For the files that define them.
#define WSTREE_DOORS(function)                                                                               \
  template decltype(function<1>) function<1>;                                                                \
  template decltype(function<2>) function<2>;                                                                \
  template decltype(function<3>) function<3>;                                                                \
  template decltype(function<4>) function<4>;

} // namespace wstree::abi
