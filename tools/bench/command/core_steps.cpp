// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core_steps.h"

#include "session.h"
#include "support/text_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <tuple>

namespace wstree::cli::bench {

namespace {

namespace fs = std::filesystem;

/// Which of its clocks was used is of no interest to the reader.
std::string name_of(const Json& run) {
  auto name = run.value("run_name", run.value("name", std::string()));
  for (const std::string_view clock : {"/manual_time", "/real_time"})
    if (name.ends_with(clock)) name.resize(name.size() - clock.size());
  return name;
}

/// As the program has them in its list: where repetitions are interleaved they come in any order.
std::vector<Json> in_order(const Json& google) {
  std::vector<Json> runs(member(google, "benchmarks").begin(), member(google, "benchmarks").end());
  std::ranges::sort(runs, {}, [](const Json& run) {
    return std::tuple(run.value("family_index", 0), run.value("per_family_instance_index", 0),
                      run.value("repetition_index", 0));
  });
  return runs;
}

double quantile(const std::vector<double>& sorted, std::size_t numerator, std::size_t denominator) {
  return sorted[(sorted.size() - 1) * numerator / denominator];
}

Json step(const std::string& name, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double median = quantile(values, 1, 2);
  Json made{{"name", name}, {"ns", median}};
  if (values.size() > 1 && median > 0)
    made["spread"] = (quantile(values, 3, 4) - quantile(values, 1, 4)) / 2 / median;
  return made;
}

} // namespace

Json core_steps(const Json& google) {
  std::vector<std::pair<std::string, std::vector<double>>> found;
  Json errors = Json::array();
  std::size_t repetitions = 0;
  for (const auto& run : in_order(google)) {
    if (run.value("run_type", "iteration") != "iteration") continue;
    const auto name = name_of(run);
    if (run.value("error_occurred", false)) {
      errors.push_back(name + ": " + run.value("error_message", std::string("failed")));
      continue;
    }
    auto at = std::ranges::find(found, name, [](const auto& entry) { return entry.first; });
    if (at == found.end()) at = found.insert(found.end(), {name, {}});
    at->second.push_back(run.value("real_time", 0.0));
    repetitions = std::max(repetitions, at->second.size());
  }
  Json steps = Json::array();
  for (auto& [name, values] : found) steps.push_back(step(name, std::move(values)));
  return {{"repetitions", repetitions}, {"steps", std::move(steps)}, {"errors", std::move(errors)}};
}

std::string core_steps_text(const Json& steps) {
  std::string text = fmt::format("{:<48}{:>10}{:>9}\n", "step", "ns", "spread");
  for (const auto& step : steps.at("steps")) {
    text += fmt::format("{:<48}{:>10.1f}", step.at("name").get<std::string>(), step.at("ns").get<double>());
    if (step.contains("spread")) text += fmt::format("{:>7.1f} %", 100 * step.at("spread").get<double>());
    text += '\n';
  }
  return text + fmt::format("medians of {}; busy: a second thread is at work on the same data\n",
                            steps.at("repetitions").get<std::size_t>());
}

void measure_core_steps(Session& session) {
  fmt::print("\n== Steps of the core by themselves\n");
  std::error_code error;
  if (!fs::exists(session.setting().programs.program("micro", ""), error)) {
    fmt::print("not measured: the program was built without Google Benchmark (libbenchmark-dev)\n");
    return;
  }
  const auto file = session.setting().folder / "core.json";
  const auto size = session.size();
  Session::Start start{"anatomy",
                       "core",
                       "",
                       "micro",
                       "",
                       {"--benchmark_format=json", "--benchmark_enable_random_interleaving=true",
                        size == Size::full    ? "--benchmark_repetitions=9"
                        : size == Size::quick ? "--benchmark_repetitions=5"
                                              : "--benchmark_repetitions=1",
                        size == Size::smoke ? "--benchmark_min_time=0.0001" : "--benchmark_min_time=0.02"},
                       false};
  start.output = file;
  start.has_json = false;
  if (!session.run(start)) return;
  const auto google = Json::parse(read_text(file).value_or(""), nullptr, false);
  const auto steps = core_steps(google);
  for (const auto& failed : steps.at("errors")) session.fail(start, failed.get<std::string>());
  if (steps.at("steps").empty()) {
    session.fail(start, "has measured nothing");
    return;
  }
  fmt::print("{}", core_steps_text(steps));
  session.findings().add("anatomy", "core", steps);
}

} // namespace wstree::cli::bench
