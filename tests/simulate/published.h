// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measured times of the schedules of others, and the machine that they were measured on as
// the simulator has it.
//
// Facts: libomp 19.1.7 (release build) with clang 14, libgomp 12 with gcc 12, LB4OMP's fac2 and oneTBB 2023
// on an x86-64 server of two cores, two threads, SCHED_FIFO. Each figure is the time in relation to half the
// time of the sequential loop, a median of seven rounds of three. The workloads are those of
// tools/bench/workloads/cost_shapes.h; the kernel takes whole steps of 1.3 ns, of which short ones overlap.
// The random workloads had other random numbers.
#pragma once

#include "simulated.h"

#include "wstree/core/scheduler.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace wstree::test {

using simulate::Peer;

inline constexpr std::size_t k_published = 12;

struct PublishedLoop {
  const char* shape;
  std::uint64_t iterations;
  double sequential_ms;
  std::array<double, k_published> ratios; ///< in the order of k_published_schedules
};

struct PublishedSchedule {
  std::string_view name;
  Schedule schedule;
  MachineSpec (*machine)();
};

/// Two cores. A fetch-and-add that has to fetch its line takes 90 ns (dynamic,1 of 64 ns of work each: 80 ns
/// per chunk with two threads), one that queues for it some 40 (10 million chunks of next to nothing: 39 ns).
inline MachineSpec published_machine(Time dispatch) {
  MachineSpec spec;
  spec.name = "two cores";
  spec.levels.clear();
  spec.across = 84 * k_ns;
  spec.prices.rmw = 6 * k_ns;
  spec.dispatch = dispatch;
  spec.skew = 500 * k_ns;
  return spec;
}
/// static_steal: 11 ns per chunk, of which 6 are the compare-and-swap.
inline MachineSpec published_libomp() { return published_machine(5 * k_ns); }
/// 6.4 ns per chunk alone.
inline MachineSpec published_libgomp() { return published_machine(1 * k_ns); }
/// fac2: 32 ns per chunk at least, it computes a power each time.
inline MachineSpec published_lb4omp() { return published_machine(26 * k_ns); }
/// The pieces of a task are a loop in the program.
inline MachineSpec published_tbb() { return published_machine(1 * k_ns); }

inline constexpr PublishedSchedule k_published_schedules[k_published] = {
    {"static", {Peer::static_, 0}, published_libomp},
    {"dynamic,1", {Peer::dynamic, 1}, published_libomp},
    {"dynamic,64", {Peer::dynamic, 64}, published_libomp},
    {"guided", {Peer::guided, 0}, published_libomp},
    {"trapezoidal", {Peer::trapezoidal, 0}, published_libomp},
    {"static_steal,1", {Peer::static_steal, 1}, published_libomp},
    {"static_steal,64", {Peer::static_steal, 64}, published_libomp},
    {"libgomp's dynamic,1", {Peer::dynamic, 1}, published_libgomp},
    {"libgomp's dynamic,64", {Peer::dynamic, 64}, published_libgomp},
    {"libgomp's guided", {Peer::gomp_guided, 0}, published_libgomp},
    {"LB4OMP's fac2", {Model::factoring, 0}, published_lb4omp},
    {"oneTBB's auto_partitioner", {Peer::tbb_auto, 0}, published_tbb},
};

// clang-format off
inline constexpr PublishedLoop k_published_loops[] = {
    {"UNIFORM", 16, 10.1, {1.00, 1.00, 2.00, 1.00, 1.00, 1.02, 1.99, 1.00, 1.99, 1.00, 1.00, 1.00}},
    {"TRIANGLE", 16, 10.1, {1.51, 1.07, 2.00, 1.05, 1.25, 1.04, 2.00, 1.06, 2.01, 1.10, 1.06, 1.10}},
    {"INVTRIANGLE", 16, 10.1, {1.50, 1.00, 2.00, 1.01, 1.01, 1.05, 2.00, 1.00, 2.00, 1.50, 1.00, 1.01}},
    {"PARABOLA", 16, 10.1, {1.77, 1.10, 2.00, 1.10, 1.38, 1.10, 2.00, 1.10, 2.00, 1.10, 1.12, 1.09}},
    {"HILL", 16, 10.1, {1.01, 1.01, 2.01, 1.02, 1.01, 1.01, 2.00, 1.00, 2.01, 1.00, 1.00, 1.01}},
    {"VALLEY", 16, 10.1, {1.00, 1.10, 1.99, 1.13, 1.13, 1.00, 2.00, 1.10, 2.01, 1.01, 1.14, 1.01}},
    {"EXP", 16, 10.1, {2.00, 1.31, 1.99, 1.30, 1.85, 1.07, 2.00, 1.30, 2.01, 1.35, 1.33, 1.36}},
    {"GAUSSIAN", 16, 10.1, {1.08, 1.13, 2.00, 1.13, 1.17, 1.02, 2.00, 1.12, 2.00, 1.08, 1.14, 1.00}},
    {"STEP_S", 16, 10.1, {1.96, 1.01, 2.00, 1.94, 1.94, 1.03, 2.00, 1.00, 2.00, 1.96, 1.95, 1.03}},
    {"STEP_M", 16, 10.1, {1.01, 1.01, 2.00, 1.01, 1.00, 1.01, 2.00, 1.01, 2.01, 1.01, 1.01, 1.00}},
    {"STEP_E", 16, 10.1, {1.96, 1.01, 2.00, 1.01, 1.96, 1.01, 2.00, 1.00, 1.99, 1.01, 1.01, 1.01}},
    {"UNIFORM", 1000, 10.1, {1.00, 1.02, 1.03, 1.00, 1.01, 1.00, 1.03, 1.01, 1.01, 1.01, 1.00, 1.01}},
    {"TRIANGLE", 1000, 10.1, {1.50, 1.01, 1.02, 1.01, 1.00, 1.02, 1.09, 1.02, 1.02, 1.00, 1.01, 1.00}},
    {"INVTRIANGLE", 1000, 10.1, {1.50, 1.02, 1.00, 1.01, 1.04, 1.01, 1.08, 1.01, 1.00, 1.50, 1.01, 1.01}},
    {"PARABOLA", 1000, 10.1, {1.75, 1.01, 1.03, 1.01, 1.01, 1.01, 1.12, 1.01, 1.03, 1.00, 1.00, 1.00}},
    {"HILL", 1000, 10.1, {1.01, 1.01, 1.01, 1.01, 1.01, 1.00, 1.04, 1.01, 1.01, 1.01, 1.00, 1.00}},
    {"VALLEY", 1000, 10.1, {1.01, 1.02, 1.03, 1.01, 1.02, 1.00, 1.00, 1.02, 1.03, 1.01, 1.00, 1.00}},
    {"EXP", 1000, 10.1, {2.00, 1.02, 1.13, 1.02, 1.02, 1.01, 1.31, 1.02, 1.13, 1.02, 1.01, 1.01}},
    {"GAUSSIAN", 1000, 10.1, {1.03, 1.01, 1.02, 1.01, 1.01, 1.00, 1.00, 1.02, 1.01, 1.00, 1.00, 1.00}},
    {"RANDIF", 1000, 10.1, {1.13, 1.01, 1.02, 1.02, 1.00, 1.01, 1.14, 1.00, 1.01, 1.01, 1.00, 1.01}},
    {"STEP_S", 1000, 10.1, {1.97, 1.01, 1.01, 1.95, 1.95, 1.01, 1.01, 1.01, 1.00, 1.96, 1.95, 1.01}},
    {"STEP_M", 1000, 10.1, {1.00, 1.02, 1.01, 1.11, 1.27, 1.00, 1.10, 1.01, 1.01, 1.00, 1.00, 1.00}},
    {"STEP_E", 1000, 10.1, {1.96, 1.01, 1.02, 1.01, 1.08, 1.00, 1.15, 1.02, 1.02, 1.01, 1.00, 1.01}},
    {"UNIFORM", 100000, 6.4, {1.01, 2.51, 1.05, 1.01, 1.01, 1.22, 1.04, 2.49, 1.01, 1.00, 1.01, 1.01}},
    {"TRIANGLE", 100000, 7.3, {1.60, 2.39, 1.02, 0.99, 1.01, 1.18, 0.99, 2.51, 1.05, 0.98, 0.99, 1.01}},
    {"INVTRIANGLE", 100000, 7.3, {1.62, 2.40, 1.03, 1.01, 1.00, 1.24, 1.01, 2.49, 1.04, 1.60, 1.00, 1.01}},
    {"PARABOLA", 100000, 7.8, {1.84, 2.40, 1.01, 0.99, 1.02, 1.18, 1.00, 2.30, 1.03, 1.02, 0.98, 1.01}},
    {"HILL", 100000, 7.1, {1.01, 2.37, 1.02, 1.00, 1.01, 1.21, 1.01, 2.44, 1.03, 1.03, 1.00, 1.00}},
    {"VALLEY", 100000, 7.8, {0.99, 2.31, 1.00, 0.99, 1.06, 1.16, 1.00, 2.30, 1.03, 1.02, 0.98, 0.99}},
    {"EXP", 100000, 8.9, {1.98, 2.19, 1.02, 1.00, 1.11, 1.18, 1.00, 1.99, 1.02, 1.01, 0.99, 1.00}},
    {"GAUSSIAN", 100000, 7.3, {0.98, 2.27, 1.05, 0.98, 0.98, 1.19, 0.99, 2.29, 1.02, 1.00, 0.98, 1.00}},
    {"RANDIF", 100000, 9.6, {1.02, 1.26, 1.01, 0.99, 0.99, 1.12, 1.00, 1.17, 1.01, 1.01, 0.98, 1.00}},
    {"STEP_S", 100000, 9.2, {1.97, 2.23, 1.01, 1.96, 1.96, 1.12, 0.99, 1.92, 1.01, 1.99, 1.95, 0.98}},
    {"STEP_M", 100000, 9.2, {1.00, 2.23, 1.01, 1.12, 1.28, 1.15, 1.00, 1.91, 0.99, 1.01, 1.01, 1.00}},
    {"STEP_E", 100000, 9.2, {1.97, 2.21, 1.02, 0.99, 1.13, 1.13, 1.01, 1.91, 1.00, 1.01, 0.99, 1.01}},
};
// clang-format on

} // namespace wstree::test
