// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Uneven loops as languages and interfaces have them, on the tree and as they do without: two threads.
///
/// In each round this process starts two others for each front end. They execute each loop a few times, in
/// turns with the same work in one thread, which gives the ideal: max(work / 2, longest iteration).
#include "front.h"
#include "measure/kernel.h"
#include "measure/options.h"
#include "measure/process.h"
#include "measure/report.h"
#include "workloads/cost_shapes.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace bench;

struct Options {
  Common common;
  int passes = 3, us = 20'000;
};

struct Front {
  const char *file, *title, *own;
  double limit; ///< goal for the worst loop of 1,000 and 100,000 iterations, as time / ideal
};
constexpr std::array<Front, 8> k_fronts{{{"threads", "C, pthreads", "a counter", 1.05},
                                         {"unmarked", "C without a pragma", "equal parts", 1.10},
                                         {"concurrent", "do concurrent", "equal parts", 1.10},
                                         {"taskloop", "taskloop", "the runtime's", 1.10},
                                         {"standard", "std::execution::par", "oneTBB", 1.10},
                                         {"rust", "Rust", "a counter", 1.05},
                                         {"go", "Go", "a counter", 1.10},
                                         {"prange", "Python, prange", "numba's layer", 1.10}}};
constexpr std::array<const char*, 5> k_shapes{"UNIFORM", "TRIANGLE", "EXP", "STEP_S", "STEP_E"};
constexpr std::array<int, 3> k_sizes{16, 1'000, 100'000};
constexpr const char* k_kinds[] = {"ours", "own"};

std::filesystem::path folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "front-ends";
}

/// Returns the file of a front end; empty: no compiler has made it.
std::string file_of(const std::string& front, const std::string& kind) {
  for (const std::string& name : {front + "_" + kind + ".so", front + ".so", front + ".py"})
    if (const auto file = folder() / name; std::filesystem::exists(file)) return file;
  return {};
}

Weight weight_of(const std::string& shape) {
  return std::find_if(std::begin(k_cost_shapes), std::end(k_cost_shapes),
                      [&](const CostShape& known) { return known.name == shape; })
      ->weight;
}

struct Cost {
  const char *function, *name;
  double limit; ///< ns
};
constexpr std::array<Cost, 2> k_costs{
    {{"front_ns_of_open", "open-and-close", 100}, {"front_ns_of_next", "next-range", 15}}};

/// Prints "VALUE SHAPE/N" for each loop of a front end, and the costs of calls if it reports them.
int measure(const Options& options, const std::string& file, int way) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto execute = library == nullptr
                           ? nullptr
                           : reinterpret_cast<decltype(&front_execute)>(dlsym(library, "front_execute"));
  if (execute == nullptr) return std::fprintf(stderr, "fronts: %s\n", dlerror()), 1;
  for (const Cost& cost : k_costs)
    if (const auto ns_of = reinterpret_cast<double (*)()>(dlsym(library, cost.function)); ns_of != nullptr) {
      std::vector<double> ns;
      for (int pass = 0; pass < 9 * options.passes; ++pass) ns.push_back(ns_of());
      std::printf("%.17g %s\n", median(ns), cost.name);
    }
  using Numbers = std::vector<std::uint64_t>;
  for (const std::string shape : k_shapes)
    for (const int n : k_sizes) {
      if (!options.common.only.empty() && options.common.only != shape) continue;
      const auto size = static_cast<std::size_t>(n);
      Numbers units(size), results(size), expected(size);
      double sum = 0, longest = 0;
      for (int i = 0; i < n; ++i)
        sum += weight_of(shape)(i, n), longest = std::max(longest, weight_of(shape)(i, n));
      for (int i = 0; i < n; ++i)
        units[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(
            std::lround(weight_of(shape)(i, n) / sum * 2e3 * options.us / k_ns_per_unit));
      const auto ns_of = [&](Numbers& to, int how) {
        const auto start = std::chrono::steady_clock::now();
        execute(units.data(), to.data(), size, how);
        return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
      };
      ns_of(results, way);
      std::vector<double> ratios;
      for (int pass = 0; pass < options.passes; ++pass) {
        const double before = ns_of(expected, front_alone);
        const double took = ns_of(results, way);
        const double work = (before + ns_of(expected, front_alone)) / 2;
        ratios.push_back(took / (work * std::max(0.5, longest / sum)));
      }
      if (results != expected) return std::fprintf(stderr, "fronts: wrong results: %s\n", file.c_str()), 1;
      std::printf("%.17g %s/%d\n", median(ratios), shape.c_str(), n);
    }
  return 0;
}

/// Runs a process for one front end, and adds the figures that it prints. Returns false if it fails.
bool run(const Options& options, const std::string& front, const std::string& kind, Kind& figures) {
  std::vector<std::string> more{"OMP_NUM_THREADS=2", "NUMBA_NUM_THREADS=2"};
  if (kind == "own")
    more.push_back("OMP_SCHEDULE=static");
  else
    for (const std::string& text :
         {"LD_PRELOAD=" + options.common.library, std::string("OMP_SCHEDULE=wstree"),
          std::string("WSTREE_LOOPS=runtime,taskloop"), "PYTHONPATH=" + (folder() / "python").string()})
      more.push_back(text);
  const std::string file = file_of(front, kind);
  const bool is_script = file.ends_with(".py");
  std::vector<std::string> arguments = options.common.again;
  if (is_script)
    arguments = {file, kind, std::to_string(options.us / 1e3), std::to_string(options.passes),
                 options.common.only};
  else
    arguments.insert(arguments.end(), {"--child", front + ' ' + kind});
  std::string output;
  if (run_child(is_script ? "/usr/bin/python3" : "", arguments, environment_with(more), &output) != 0)
    return false;
  std::istringstream lines(output);
  std::string name;
  for (double value = 0; lines >> value >> name;) figures.figures[name].push_back(value);
  return true;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  Common& common = options.common;
  common.rounds = 3;
  common.threads = 2;
  OptionList list("Measures uneven loops of several languages and interfaces.", common,
                  "library rounds only");
  list.count("--passes", options.passes, 1, "Executions of each loop in a round");
  list.count("--us", options.us, 1, "Microseconds that a loop takes ideally");
  list.parse(argc, argv);
  if (!common.child.empty()) {
    const auto blank = common.child.find(' ');
    const std::string front = common.child.substr(0, blank), kind = common.child.substr(blank + 1);
    return measure(options, file_of(front, kind), kind == "ours" ? front_ours : front_own);
  }
  Report report(2, common.rounds);
  std::printf("two threads, %d rounds, loops of %d us, as time / ideal\n\n", common.rounds, options.us);
  Table& table = report.table("loop", "time / ideal");
  Table& costs = report.table("call of loop.h", "ns");
  bool right = true;
  for (const Front& front : k_fronts) {
    if (file_of(front.file, "ours").empty()) {
      std::printf("%s: left out, there was no compiler\n", front.title);
      continue;
    }
    std::array<Kind, 2> kinds;
    for (int round = 0; round < common.rounds; ++round)
      for (unsigned turn = 0; turn < 2; ++turn) {
        const unsigned which = (turn + static_cast<unsigned>(round)) % 2;
        if (!run(options, front.file, k_kinds[which], kinds[which])) {
          std::fprintf(stderr, "fronts: %s fails\n", front.title);
          right = false;
        }
      }
    for (const Cost& cost : k_costs)
      if (const auto& ns = kinds[0].figures[cost.name]; !ns.empty()) {
        costs.at(cost.name, "wstree") = sample(ns);
        report.verdict(std::string(cost.name) + ", ns", cost.limit).add("loop.h", median(ns));
      }
    for (const std::string shape : k_shapes)
      for (const int n : k_sizes) {
        const std::string name = shape + "/" + std::to_string(n);
        const auto& ours = kinds[0].figures[name];
        if (ours.empty()) continue;
        const std::string row = std::string(front.title) + "/" + name;
        const auto& own = kinds[1].figures[name];
        table.at(row, "wstree") = sample(ours);
        table.at(row, "own way") = sample(own);
        const std::string what = std::string(front.title) + ": wstree ";
        if (n > 16)
          report.verdict(what + "/ ideal, from 1,000 iterations on", front.limit).add(name, median(ours));
        if (!own.empty()) report.verdict(what + "/ " + front.own, 1.02).add(name, median(ours) / median(own));
      }
  }
  table.print();
  costs.print();
  report.print_verdicts();
  return report.write(common.json) && right ? 0 : 1;
}
