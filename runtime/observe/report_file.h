// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <climits>
#include <string_view>

#include "fixed_text.h"

namespace wstree::observe {

using Path = config::FixedText<PATH_MAX>;

/// Replaces %p by the process id, %h by the name of the host, %r by the rank (see rank_text), %e by the name
/// of the program and %% by %; anything else after % stays as it is. A relative path starts from `folder`,
/// which is empty or ends with a slash. The result is marked truncated if it has no room. One thread at a
/// time, because it reads the environment.
Path expand_path(std::string_view pattern, std::string_view folder = {}) noexcept;

/// Returns the number that the MPI launcher gave to this process: the first of OMPI_COMM_WORLD_RANK,
/// PMIX_RANK, PMI_RANK, MV2_COMM_WORLD_RANK and SLURM_PROCID that holds one, else "0".
std::string_view rank_text() noexcept;

struct OpenFile {
  int descriptor; // -1 if it could not be opened
  int error;      // then the error number
};

/// Opens a file that did not exist before for writing; creates missing folders and appends .1, .2 and so on
/// to `path` until the name is new. A pipe or a device is opened as it is; /dev/stdout, /dev/stderr,
/// /dev/fd/N and /proc/self/fd/N stand for the open file itself, in which writing goes on where the program
/// has come to. `path` is left with the name that was tried last.
OpenFile open_new_file(Path& path) noexcept;

} // namespace wstree::observe
