// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator's costs, measured on the machine that it runs on.
#pragma once

#include <string>
#include <vector>

namespace wstree::simulate {

/// Durations in ns: lower quartiles of many short rounds, because other work on the machine only adds.
struct Calibration {
  double hit_ns = 0;      ///< load or store of a line that the CPU has
  double rmw_ns = 0;      ///< uncontended read-modify-write
  double tick_ns = 0;     ///< reading the clock
  double dispatch_ns = 0; ///< a call of the tree's next() besides its accesses and its readings of the clock
  double fault_ns = 0;    ///< first touch of a page
  double skew_ns = 0;     ///< skew of a team that waits spinning: from its release to its last
                          ///< member's arrival
  double leave_ns = 0; ///< from the end of the last member's work until the member that waits for all goes on
  double claim_ns = 0; ///< additional time of a read-modify-write if another CPU makes some meanwhile
  std::vector<double> transfer_ns; ///< transfer of a line from CPU to CPU, by level, nearest first
  std::vector<std::string> levels; ///< names of the levels that the two CPUs of each transfer share: "L2",
                                   ///< "L3", "NUMA node", ...
};

/// Measures this machine, in about a second. Pins the threads that it starts, and no others. With one CPU
/// there are no levels, and `claim_ns`, `skew_ns` and `leave_ns` stay 0.
Calibration calibrate();

} // namespace wstree::simulate
