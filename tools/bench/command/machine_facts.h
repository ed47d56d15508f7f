// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the machine, for a reader of figures.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace wstree::cli::bench {

/// In the order in which they are shown: "processor", "Intel(R) Xeon(R)". Unknown facts are left out.
using Facts = std::vector<std::pair<std::string, std::string>>;

Facts machine_facts();
/// CPUs in the mask of this process.
unsigned allowed_cpus();
/// Returns the three averages, as the kernel writes them.
std::string load_average();

} // namespace wstree::cli::bench
