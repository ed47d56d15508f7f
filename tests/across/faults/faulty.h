// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with the library and with an injector behind it, compared with themselves alone.
#pragma once

#include "process.h"

#include <string>
#include <vector>

namespace wstree::test {

/// The program that uses everything, by either compiler.
inline const std::vector<std::string> k_builds{"everything", "everything_gcc"};

using Words = std::vector<std::string>;

/// `name` with the library, the injector `injector` (without .so) and these variables, each NAME=VALUE.
Program faulty(const std::string& name, std::vector<std::string> arguments, const std::string& injector,
               const Words& variables);

/// What is expected of a program under whatever fault: it ends as it does alone and prints the same, and on
/// stderr is nothing, or one line of ours.
void expect_undisturbed(const Outcome& outcome, const Outcome& native, const std::string& fault);

/// The program alone, on the runtime's own schedule.
Outcome native_run(const std::string& name, const std::vector<std::string>& arguments);

} // namespace wstree::test
