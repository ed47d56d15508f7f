// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "options.h"

namespace wstree::config {

/// Writes the settings in force as a block of lines in the form in which the OpenMP runtimes
/// answer OMP_DISPLAY_ENV:
///
///     WSTREE DISPLAY ENVIRONMENT BEGIN
///       [wstree] WSTREE_STRATEGY='findmax'  (default)
///       ...
///     WSTREE DISPLAY ENVIRONMENT END
///
/// `schedule`: the request in OMP_SCHEDULE at the start of the program; nullopt if it did not ask for the
/// tree. Runs before the C library is initialised, from any thread, like everything in options.h.
void display(const Options& options, const std::optional<ScheduleRequest>& schedule, LineSink lines) noexcept;

} // namespace wstree::config
