// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The cost of idle threads: wall time and processor time of ten programs, five of which have long serial
/// phases, as the runtime has its threads wait, with OMP_WAIT_POLICY=passive, and with WSTREE_WAIT=auto.
///
/// Each figure is from a process of its own; the three kinds take turns in random order.
#include "measure/kernel.h"
#include "measure/measure.h"
#include "measure/omp_calls.h"
#include "measure/options.h"
#include "measure/process.h"
#include <array>
#include <cstdio>
#include <string>
#include <time.h>
#include <vector>

namespace {

using namespace bench;

/// A serial phase, and then loops one behind the other; all of it `times` times.
struct Program {
  const char* name;
  int times, serial_us, loops, loop_us;
  bool sleeps = false;   ///< in the serial phase
  bool is_serial = true; ///< has long serial phases
};
constexpr std::array<Program, 10> k_programs{{
    {"100 ms serial, a loop of 20 ms", 4, 100'000, 1, 20'000},
    {"20 ms serial, a loop of 20 ms", 12, 20'000, 1, 20'000},
    {"5 ms serial, a loop of 5 ms", 45, 5'000, 1, 5'000},
    {"200 ms serial, 100 loops of 1 ms", 2, 200'000, 100, 1'000},
    {"50 ms asleep, a loop of 20 ms", 7, 50'000, 1, 20'000, true},
    {"loops of 100 us", 1, 0, 4'000, 100, false, false},
    {"5 us serial, a loop of 20 us", 16'000, 5, 1, 20, false, false},
    {"0.5 ms serial, a loop of 1 ms", 270, 500, 1, 1'000, false, false},
    {"1.5 ms serial, a loop of 1 ms", 160, 1'500, 1, 1'000, false, false},
    {"3 ms serial, 20 loops of 0.2 ms", 60, 3'000, 20, 200, false, false},
}};

/// Iterations of an uneven loop: later ones cost more.
constexpr int k_iterations = 500;

double processor_ns() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return 1e9 * static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec);
}

[[gnu::noinline]] std::uint64_t run_loop(int us, int threads) {
  const double units = us * 1e3 * threads / k_ns_per_unit / k_iterations;
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(runtime) num_threads(threads) reduction(^ : sum)
  for (int i = 0; i < k_iterations; ++i)
    sum ^=
        spin(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(units * 2 * (i + 1) / k_iterations));
  return sum;
}

std::uint64_t serial_phase(const Program& program) {
  if (!program.sleeps) return spin(1, static_cast<std::uint64_t>(program.serial_us * 1e3 / k_ns_per_unit));
  const timespec time{0, program.serial_us * 1'000L};
  nanosleep(&time, nullptr);
  return 0;
}

int measure_child(const Common& common) {
  // With real-time priority the system stops processes that leave it less than a twentieth of the time.
  const timespec pause{0, 60'000'000};
  nanosleep(&pause, nullptr);
  // "auto 7": the eighth program.
  const auto& program = k_programs[static_cast<std::size_t>(common.child.back() - '0')];
  std::uint64_t sum = run_loop(20, common.threads); // the team and the library are there from here on
  const double begin = now_ns(), processor = processor_ns();
  const int times = static_cast<int>(program.times * common.scale) + 1;
  for (int i = 0; i < times; ++i) {
    sum ^= serial_phase(program);
    for (int k = 0; k < program.loops; ++k) sum ^= run_loop(program.loop_us, common.threads);
  }
  const double ns = now_ns() - begin, used = processor_ns() - processor;
  asm volatile("" : : "r"(sum) : "memory");
  std::printf("%.9g wall\n%.9g cpu\n", ns / 1e9, used / 1e9);
  return 0;
}

enum How { active, passive, automatic, hows };
constexpr std::array<const char*, hows> k_hows{"active", "passive", "auto"};

/// Returns each value in units of the median of the others, so that one disturbed process of those
/// changes nothing.
std::vector<double> ratios(std::vector<double> of, const std::vector<double>& to) {
  for (double& value : of) value /= median(to);
  return of;
}

} // namespace

int main(int argc, char** argv) {
  Common common;
  OptionList list("Measures what idle threads cost.", common, "library rounds threads scale");
  list.parse(argc, argv);
  if (!common.child.empty()) return measure_child(common);
  if (common.library.empty()) refuse("--library is needed: WSTREE_WAIT is the library's");
  std::vector<Kind> kinds;
  for (std::size_t program = 0; program < k_programs.size(); ++program)
    for (const auto* const how : k_hows) {
      Kind kind{std::string(how) + " " + std::to_string(program),
                {"LD_PRELOAD=" + common.library, "OMP_SCHEDULE=wstree"}};
      if (how == k_hows[passive]) kind.variables.emplace_back("OMP_WAIT_POLICY=passive");
      if (how == k_hows[automatic]) kind.variables.emplace_back("WSTREE_WAIT=auto");
      kinds.push_back(std::move(kind));
    }
  if (!run_rounds(common, kinds)) return 1;
  Report report(common.threads, common.rounds);
  std::printf("runtime: %s\nthreads %d, %d rounds; active: as the runtime has its threads wait\n\n",
              runtime_description().c_str(), common.threads, common.rounds);
  Table& table = report.table("of ten programs", "ratio");
  auto& cpu_limit = report.verdict("auto: CPU seconds of passive, with serial phases", 1.05);
  auto& wall_limit = report.verdict("auto: wall time of active", 1.02);
  for (std::size_t program = 0; program < k_programs.size(); ++program) {
    const auto& [name, times, serial_us, loops, loop_us, sleeps, is_serial] = k_programs[program];
    const auto figures = [&](How how, const char* what) -> const std::vector<double>& {
      return kinds[program * hows + how].figures[what];
    };
    table.at(name, "active wall s") = fact(median(figures(active, "wall")));
    table.at(name, "active CPU s") = fact(median(figures(active, "cpu")));
    table.at(name, "passive wall") = sample(ratios(figures(passive, "wall"), figures(active, "wall")));
    table.at(name, "passive CPU") = sample(ratios(figures(passive, "cpu"), figures(active, "cpu")));
    const auto wall = ratios(figures(automatic, "wall"), figures(active, "wall"));
    table.at(name, "auto wall") = sample(wall);
    table.at(name, "auto CPU") = sample(ratios(figures(automatic, "cpu"), figures(active, "cpu")));
    const auto cpu = ratios(figures(automatic, "cpu"), figures(passive, "cpu"));
    table.at(name, "auto CPU of passive") = sample(cpu);
    if (is_serial) cpu_limit.add(name, median(cpu));
    wall_limit.add(name, median(wall));
  }
  table.print();
  report.print_verdicts();
  return report.write(common.json) ? 0 : 1;
}
