// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of CPUs that the process may really use, which is the number of threads that a team should have.
#pragma once

#include "cgroup.h"
#include "cpu_set.h"

#include <cstdint>
#include <string_view>

namespace wstree::place {

struct CpuClaims {
  std::uint32_t mask = 0;     ///< CPUs in the mask of the process; 0: not known
  std::uint64_t quota = 0;    ///< that the control groups grant (cgroup.h); 0: no limit
  std::uint32_t ranks = 1;    ///< processes of this MPI job on this machine
  std::uint32_t launcher = 0; ///< CPUs that all of them may use together; 0: those in the mask
};

enum class CpuLimit : std::uint8_t { mask, quota, ranks };

struct UsableCpus {
  std::uint32_t count = 0; ///< 0: not known, because the mask is not
  CpuLimit limit = CpuLimit::mask;
};
/// Returns the CPUs of one rank: the ranks share the quota, rounded up so that none of it is left, and the
/// launcher's CPUs, rounded down so that no two threads meet on one. At least one CPU.
UsableCpus usable_cpus(const CpuClaims& claims) noexcept;

/// Returns whether a team of this size uses up its rank's part of the quota if all of its members run, or
/// spin, all the time: the group then stops them all for the rest of a period. Never for a team of one, which
/// does not wait.
bool can_use_up_quota(const CpuClaims& claims, std::uint32_t team) noexcept;

struct FoundCpus {
  CpuClaims claims;
  UsableCpus usable;
  PathText quota_file;          ///< file with the quota
  std::string_view rank_source; ///< the variable with the number of ranks
};
/// Returns the usable CPUs for the calling thread's mask, with files below `root` and the variables in
/// `envp`. Makes system calls only, so that the library's constructor may call it. Changes errno.
FoundCpus find_usable_cpus(const char* const* envp, const char* root = "") noexcept;

} // namespace wstree::place
