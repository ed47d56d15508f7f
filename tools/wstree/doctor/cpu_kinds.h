// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wstree::place {
class Machine;
}

namespace wstree::cli {

/// The CPUs of a machine with unequal cores that are not of its slowest kind.
struct FastCpus {
  unsigned count = 0, slower = 0, kinds = 0;
  std::vector<std::pair<std::string, std::string>>
      settings; ///< variables by which a program has one thread on each
};
/// Returns the fast CPUs of the machine; nothing if all CPUs are of one kind, or if hwloc cannot rank
/// the kinds.
std::optional<FastCpus> fast_cpus(const place::Machine& machine);
/// Returns the fast CPUs of this machine, as far as this process may use it.
std::optional<FastCpus> fast_cpus();

/// Checks for threads that help, and for threads that may make others wait.
std::optional<Check> check_kinds(const place::Machine& machine, unsigned team);

} // namespace wstree::cli
