// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace wstree::cli {

/// The kinds of the library, and with those of the OpenMP runtimes, as a list for the user.
std::string own_schedules();
std::string all_schedules();

/// True for a value of OMP_SCHEDULE that an OpenMP runtime understands, in small letters and without blanks.
bool is_runtime_schedule(std::string_view value);

/// The kind, of the library or of an OpenMP runtime, that is nearest to the one in `value`; empty if none is
/// near enough to have been meant, or if it is one of them.
std::string_view nearest_schedule(std::string_view value);

} // namespace wstree::cli
