// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WSTREE_THREADS=auto: the size of teams by the CPUs that the process may really use.
#pragma once

namespace wstree::abi {

/// Sets OMP_NUM_THREADS in `envp` if WSTREE_THREADS=auto asks for it, if the user has not set it, and if the
/// process may use fewer CPUs than its mask has (otherwise the OpenMP runtime chooses as many threads by
/// itself). Called once, by the constructor, before the runtime reads the environment.
void set_team_size(char** envp) noexcept;

} // namespace wstree::abi
