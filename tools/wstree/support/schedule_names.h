// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace wstree::cli {

/// Returns the kinds of the library, and with those of the OpenMP runtimes, as a list for the user.
std::string own_schedules();
std::string all_schedules();

/// Returns whether an OpenMP runtime understands this value of OMP_SCHEDULE, in small letters and
/// without blanks.
bool is_runtime_schedule(std::string_view value);

/// Returns the kind, of the library or of an OpenMP runtime, that is nearest to the kind in `value`; empty if
/// none is near enough to have been meant, or if it is one of them.
std::string_view nearest_schedule(std::string_view value);

} // namespace wstree::cli
