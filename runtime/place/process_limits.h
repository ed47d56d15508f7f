// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Limits of the process from outside, and arrangements that its user has already made.
#pragma once

#include "cpu_set.h"

#include <cstdint>
#include <string_view>

namespace wstree::place {

/// Returns the mask of the calling thread; empty if it cannot be read.
CpuSet current_mask() noexcept;
/// Returns false if the kernel refused (errno is kept as it was), or may end the
/// process: has_new_call_filter().
bool set_current_mask(const CpuSet& mask) noexcept;

struct Limits {
  CpuSet mask;                   ///< mask of the process
  std::uint32_t online = 0;      ///< CPUs that the machine has
  std::uint64_t quota = 0;       ///< that the control groups grant (cgroup.h); 0: no limit
  std::uint32_t local_ranks = 1; ///< processes of this MPI job on this machine, by the launcher's variables
  bool ranks_share_mask = false; ///< and this mask is not this rank's alone, as far as can be told
  std::string_view rank_source;  ///< the variable that had the number
  /// The first variable found with which the user has decided about placement: OMP_PROC_BIND, OMP_PLACES,
  /// KMP_AFFINITY, GOMP_CPU_AFFINITY. Empty: none.
  std::string_view user_placed;
  bool runtime_binds = false; ///< and by that the OpenMP runtime puts the threads there
};

/// The mask is that of the calling thread, unless the OpenMP runtime binds threads, perhaps this one already:
/// then it is that of the process when the library was loaded (process_mask() in thread_pin.h). Reads the
/// control groups' files below `root` and the variables in `envp` (NAME=value, ends with null). A limit that
/// cannot be read counts as none. Any thread; no exceptions.
Limits find_limits(const char* const* envp, const char* root = "") noexcept;

/// Once, when the library is loaded: whether system calls are filtered (seccomp), as in containers.
void note_call_filter() noexcept;
/// Before the program puts up a filter, if it does so by the C library's functions. Waits up to half a second
/// for looks at the machine in other threads, which the filter may end.
void note_new_call_filter() noexcept;
/// Returns whether the process has put up a filter of system calls since it began. Such a process means to
/// ask the system nothing any more: a look at the machine may end it. A filter that came past the C library's
/// functions into a process that had one shows by PR_SET_NO_NEW_PRIVS, which filters of users without
/// privileges need.
bool has_new_call_filter() noexcept;

/// A look at the machine, for which note_new_call_filter() waits. There is one at a time.
class MachineLook {
public:
  MachineLook() noexcept;
  ~MachineLook();
  MachineLook(const MachineLook&) = delete;
  MachineLook& operator=(const MachineLook&) = delete;
  bool may_begin() const noexcept { return may_begin_; } ///< false: has_new_call_filter()

private:
  bool may_begin_;
};

} // namespace wstree::place
