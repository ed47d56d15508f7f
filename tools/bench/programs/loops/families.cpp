// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "families.h"
#include "measure/options.h"
#include "measure/process.h"
#include "report.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <sstream>

namespace bench {
namespace {

std::vector<std::string> arguments_for(const Child& child, const Options& options, std::uint64_t seed) {
  std::string names;
  for (const std::string& name : child.candidates) names += (names.empty() ? "" : ",") + name;
  const Settings& s = options.settings;
  std::vector<std::string> arguments = {"--samples",
                                        "--rounds",
                                        "1",
                                        "--passes",
                                        std::to_string(s.passes),
                                        "--threads",
                                        std::to_string(s.threads),
                                        "--scale",
                                        std::to_string(options.scale),
                                        "--seed",
                                        std::to_string(seed % 1000000),
                                        "--max-delay",
                                        std::to_string(s.max_delay),
                                        "--only",
                                        options.only,
                                        "--groups",
                                        options.groups,
                                        "--candidates",
                                        names};
  // Priority is inherited, the pauses that go with it are not.
  if (options.fifo) arguments.push_back("--fifo");
  return arguments;
}

/// Reads the output of a child: two lines on the process, then one for each sample.
bool read_samples(const Child& child, const std::vector<Workload>& workloads, const std::string& output,
                  int round) {
  Family& family = *child.family;
  std::istringstream lines(output);
  std::string first, second;
  std::getline(lines, first);
  std::getline(lines, second);
  const std::string runtime = std::string(name_of(family.runtime)) + ' ';
  if (!first.starts_with(runtime) || second != "library " + child.library) {
    std::fprintf(stderr,
                 "bench: a process does not have the runtime or the library that it was to have:\n%s\n%s\n",
                 first.c_str(), second.c_str());
    return false;
  }
  family.description = first.substr(runtime.size());
  auto& series_of = child.bare ? family.results.bare : family.results.main;
  const auto column = [&](const std::string& candidate) {
    if (child.column.empty()) return candidate;
    return candidate == k_tree ? child.column : child.column + '/' + candidate;
  };
  // Every sample is missing until it is read.
  for (const Candidate& measured : all_candidates(family.runtime, true))
    if (std::find(child.candidates.begin(), child.candidates.end(), measured.name) != child.candidates.end())
      for (const Workload& workload : workloads)
        if (is_measured(workload, measured)) ++series_of[{workload.name, column(measured.name)}].dropped;
  std::string workload, candidate;
  double ratio = 0, seq_ms = 0;
  while (lines >> workload >> candidate >> ratio >> seq_ms) {
    Series& series = series_of[{workload, column(candidate)}];
    series.ratio.push_back(ratio);
    series.seq_ms.push_back(seq_ms);
    series.round.push_back(round);
    --series.dropped;
  }
  return true;
}

} // namespace

std::string library_version() {
  using Version = const char* (*)();
  const auto version = reinterpret_cast<Version>(dlsym(RTLD_DEFAULT, "wstree_version"));
  return version ? version() : "";
}

Runtime runtime_of(const std::string& program) {
  std::string output;
  if (run_child(program, {"--which"}, environment_with({}), &output) == 0)
    for (const Runtime runtime : {Runtime::libomp, Runtime::libgomp, Runtime::tbb})
      if (output == std::string(name_of(runtime)) + '\n') return runtime;
  refuse("--beside: " + program + " is no build of this program");
}

std::vector<std::string> own_environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> list = own_environment();
  for (const std::string& variable : variables) {
    const std::string name = variable.substr(0, variable.find('=') + 1);
    std::erase_if(list, [&](const std::string& entry) { return entry.starts_with(name); });
    list.push_back(variable);
  }
  return list;
}

std::vector<std::string> environment_for_libomp(const std::string& libomp) {
  const char* const set = std::getenv("LD_LIBRARY_PATH");
  std::string path = libomp == "system" ? "" : libomp;
  std::istringstream folders(set ? set : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!std::filesystem::exists(folder + "/libomp.so.5")) path += (path.empty() ? "" : ":") + folder;
  return own_environment_with({"LD_LIBRARY_PATH=" + path});
}

bool run_round(const Child& child, const Options& options, const std::vector<Workload>& workloads,
               std::uint64_t seed, int round) {
  if (child.candidates.empty()) return true;
  quiet_team();
  std::string output;
  const int status =
      run_child(child.program, arguments_for(child, options, seed), child.environment, &output);
  if (status == 0) return read_samples(child, workloads, output, round);
  std::fprintf(stderr, "bench: the process for %s%s%s failed (status %d)\n", child.family->name.c_str(),
               child.column.empty() ? "" : (" " + child.column).c_str(),
               child.bare ? " without the library" : "", status);
  return false;
}

void print_samples(const Family& family, const std::string& library) {
  std::printf("%s %s\n", name_of(family.runtime), family.description.c_str());
  std::printf("library %s\n", library.c_str());
  for (const auto& [key, series] : family.results.main)
    for (std::size_t k = 0; k < series.ratio.size(); ++k)
      std::printf("%s %s %.6f %.6f\n", key.first.c_str(), key.second.c_str(), series.ratio[k],
                  series.seq_ms[k]);
}

} // namespace bench
