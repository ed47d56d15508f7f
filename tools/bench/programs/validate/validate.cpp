// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Reports how far the simulator is from the measurement (wstree bench --parts validation).
#include "measure/report.h"
#include "validation.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

namespace {

using namespace wstree;
using validation::Row;
using validation::Summary;

constexpr int k_failed = 125;

template <class T> T take(std::variant<T, std::string> read, const std::string& file) {
  if (auto* const problem = std::get_if<std::string>(&read))
    throw CLI::RuntimeError(fmt::format("{}: {}", file, *problem), k_failed);
  return std::get<T>(std::move(read));
}

std::ifstream open(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw CLI::RuntimeError(fmt::format("{} cannot be read", file), k_failed);
  return in;
}

void print_calibration(const simulate::Calibration& here) {
  fmt::print("this machine, ns: hit {:.2f}, read-modify-write {:.2f}, clock {:.2f}, fault {:.0f}",
             here.hit_ns, here.rmw_ns, here.tick_ns, here.fault_ns);
  for (std::size_t i = 0; i < here.levels.size(); ++i)
    fmt::print(", transfer within a {} {:.1f}", here.levels[i], here.transfer_ns[i]);
  fmt::print("\n");
}

void print_costs(const validation::RuntimeCosts& runtime) {
  fmt::print(
      "this runtime, ns: region of one {:.0f}; of {}: opening {:.0f}, last arrival {:.0f} later, closing "
      "{:.0f}; entering a loop of the library {:.0f}, a call {:.1f}; of its own {:.0f}, {:.1f}\n",
      runtime.alone_ns, runtime.threads, runtime.open_ns, runtime.late_ns, runtime.close_ns,
      runtime.library.enter_ns, runtime.library.next_ns, runtime.own.enter_ns, runtime.own.next_ns);
}

/// Shows time / ideal, measured and simulated, and the errors.
void show(const std::vector<Row>& rows, bench::Report& report) {
  bench::Table& table = report.table("workload, schedule, P", "");
  for (const Row& row : rows) {
    const auto name = fmt::format("{}, {}, {}", row.workload, row.schedule, row.threads);
    table.at(name, "ideal ms") = bench::fact(row.ideal_ns / 1e6);
    table.at(name, "measured") = bench::fact(row.measured_ns / row.ideal_ns);
    table.at(name, "simulated") = bench::fact(row.predicted_ns / row.ideal_ns);
    table.at(name, "error") = {row.error()};
  }
  bench::Table& errors = report.table("schedule, P", "");
  for (const Summary& summary : validation::summaries(rows)) {
    const auto name = fmt::format("{}, {}", summary.schedule, summary.threads);
    errors.at(name, "workloads") = bench::fact(static_cast<double>(summary.rows));
    errors.at(name, "median error") = {summary.median};
    errors.at(name, "worst error") = {summary.worst};
    errors.at(name, "at") = bench::words(summary.worst_workload);
  }
  std::puts("");
  table.print();
  std::puts("");
  errors.print();
}

struct Request {
  std::string costs, json, candidates;
  std::uint32_t threads = 2;
  std::vector<std::pair<std::uint32_t, std::string>> samples;
};

/// Prints the schedules that are measured. A team of one gets its loop in one piece under each schedule, so
/// that one schedule shows it.
void print_candidates(const Request& request) {
  std::vector<std::string> names;
  for (const auto& candidate : validation::candidates(request.candidates)) names.push_back(candidate.name);
  if (request.threads == 1) names.resize(1);
  fmt::print("{}\n", fmt::join(names, ","));
}

void validate(const Request& request) {
  auto in = open(request.costs);
  const auto costs = take(validation::read_costs(in), request.costs);
  const auto here = simulate::calibrate();
  print_calibration(here);
  print_costs(costs.runtime);
  std::vector<Row> rows;
  for (const auto& [threads, file] : request.samples) {
    auto samples = open(file);
    const auto measured = take(validation::read_samples(samples, threads), file);
    for (auto& row : validation::compare(costs, measured, threads, here)) rows.push_back(std::move(row));
  }
  if (rows.empty())
    throw CLI::RuntimeError(fmt::format("{} has none of the measured workloads", request.costs), k_failed);
  bench::Report report(static_cast<int>(request.samples.back().first), 1);
  std::fflush(stdout);
  show(rows, report);
  if (!report.write(request.json)) throw CLI::RuntimeError("the figures are lost", k_failed);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares the simulator with what was measured");
  Request request;
  auto* const costs = app.add_option("--costs", request.costs, "what the program `costs` has written");
  app.add_option("--samples", request.samples, "THREADS FILE: what `loops --samples` has written; repeatable")
      ->needs(costs);
  app.add_option("--json", request.json, "file for the figures");
  auto* const list =
      app.add_option("--candidates", request.candidates,
                     "only print the benchmark's candidates that can be compared on libomp or libgomp")
          ->check(CLI::IsMember({"libomp", "libgomp"}))
          ->excludes(costs);
  app.add_option("--of", request.threads, "with so many threads (2)")->needs(list);
  try {
    app.parse(argc, argv);
    if (!request.candidates.empty())
      print_candidates(request);
    else if (request.samples.empty())
      throw CLI::RuntimeError("--costs and --samples, or --candidates, say what to do", k_failed);
    else
      validate(request);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "validate: {}\n", error.what());
    return k_failed;
  }
}
