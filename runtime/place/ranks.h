// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Other processes of the same job on this machine, and whether their threads would come to the same CPUs.
#pragma once

#include "cpu_set.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace wstree::place {

struct LocalRanks {
  std::uint32_t count = 1;
  std::string_view source; ///< name of the variable with the number; empty: there was none
};
/// Returns the number of ranks on this host by the variables of the launchers (Open MPI, MPICH and Intel MPI,
/// MVAPICH2, Slurm, PALS, Cray's PMI, jsrun, torchrun). If several are set, it is the largest of their
/// numbers, so that it is never too small.
LocalRanks find_local_ranks(const char* const* envp) noexcept;

/// Returns the mask of the launcher that set `variable` for this process: of the nearest ancestor that does
/// not have the variable itself, as a script between the launcher and the rank does. Unlike the masks of
/// other ranks it does not depend on how many of them have been started. nullopt: it is out of sight.
std::optional<CpuSet> find_launcher_mask(std::string_view variable, const char* root = "") noexcept;

/// Returns the largest number in a list like "4(x2),3", which stands for 4, 4 and 3; nullopt: not understood.
std::optional<std::uint32_t> largest_of_counts(std::string_view list) noexcept;

/// Returns false if each of the `ranks` processes has CPUs of its own, as far as that can be shown. `mask`
/// is this process's; the others' are looked up below `root`/proc where the launcher's processes can be
/// found there.
bool do_ranks_share(const CpuSet& mask, std::uint32_t ranks, std::uint32_t online, const char* root) noexcept;

} // namespace wstree::place
