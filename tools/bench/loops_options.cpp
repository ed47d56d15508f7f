// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops_options.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>

namespace bench {
namespace {

constexpr const char* k_usage =
    "usage: loops [options]\n"
    "  --rounds N          samples of each value (7)\n"
    "  --passes N          parallel passes a sample, of which the median counts (3)\n"
    "  --only REGEX        workloads whose name contains a match\n"
    "  --candidates LIST   of static,dyn1,dyn64,guided,trapez,steal1,steal64,wstree (all of these), and of\n"
    "                      "
    "wsrange,wsqueue,wsqueue_lock,wsfixed1,wsfixed64,wsguided,wsfac2,wstrapezoid,wsstatic;\n"
    "                      models: all that begin with ws, beside static,dyn1,dyn64,guided\n"
    "  --threads P         (the processors of this process)\n"
    "  --scale F           work of every loop in parts of the usual (1)\n"
    "  --seed N            of the order within the rounds (1)\n"
    "  --bare              the runtime's schedules also in a process without the library\n"
    "  --beside PROGRAM    the same with this other build of the program, for the other runtime\n"
    "  --max-delay F       pass not used if its threads waited for longer than this part of it (0.02)\n"
    "  --fifo              real-time priority 1, with pauses; needs the right to (chrt -f 1 is the same "
    "without)\n"
    "  --json FILE         write the figures\n"
    "  --list              names of the workloads\n"
    "  --samples           print the samples instead of a report\n"
    "Preload libwstree.so to have the candidates that begin with ws.\n";

double number(const char* option, const char* text, double least) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end || !(value >= least))
    refuse(std::string(option) + ": not a number in range: " + text);
  return value;
}

bool knows(const std::vector<Candidate>& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(), [&](const Candidate& c) { return c.name == name; });
}

} // namespace

void refuse(const std::string& text) {
  std::fprintf(stderr, "bench: %s\n%s", text.c_str(), k_usage);
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  options.settings.threads = omp_get_num_procs();
  for (int k = 1; k < argc; ++k) {
    const std::string option = argv[k];
    if (option == "--help") std::fputs(k_usage, stdout), std::exit(0);
    bool* const flag = option == "--bare"      ? &options.bare
                       : option == "--fifo"    ? &options.fifo
                       : option == "--list"    ? &options.list
                       : option == "--samples" ? &options.samples
                                               : nullptr;
    if (flag) {
      *flag = true;
      continue;
    }
    if (k + 1 >= argc) refuse("unknown option, or a value is missing: " + option);
    const char* const value = argv[++k];
    const auto count = [&] { return static_cast<int>(number(option.c_str(), value, 1)); };
    if (option == "--rounds")
      options.settings.rounds = count();
    else if (option == "--passes")
      options.settings.passes = count();
    else if (option == "--threads")
      options.settings.threads = count();
    else if (option == "--only")
      options.only = value;
    else if (option == "--candidates")
      options.candidates = value;
    else if (option == "--beside")
      options.beside = value;
    else if (option == "--json")
      options.json = value;
    else if (option == "--scale")
      options.scale = number(option.c_str(), value, 1e-6);
    else if (option == "--max-delay")
      options.settings.max_delay = number(option.c_str(), value, 0);
    else if (option == "--seed")
      options.settings.seed = static_cast<std::uint64_t>(number(option.c_str(), value, 0));
    else
      refuse("unknown option: " + option);
  }
  return options;
}

std::vector<WorkloadRecipe> selected_workloads(const Options& options) {
  std::vector<WorkloadRecipe> list = all_workloads(options.scale);
  try {
    const std::regex pattern(options.only);
    std::erase_if(list,
                  [&](const WorkloadRecipe& recipe) { return !std::regex_search(recipe.name, pattern); });
  } catch (const std::regex_error& error) {
    refuse("--only: " + std::string(error.what()));
  }
  if (list.empty()) refuse("--only: no workload matches");
  return list;
}

std::vector<Candidate> selected_candidates(const Options& options, Runtime runtime, bool with_library) {
  if (options.candidates.empty()) return usual_candidates(runtime, with_library);
  const std::vector<Candidate> all = all_candidates(runtime, with_library);
  std::vector<Candidate> list;
  const auto add = [&](const Candidate& candidate) {
    if (!knows(list, candidate.name)) list.push_back(candidate);
  };
  for (std::size_t at = 0; at <= options.candidates.size();) {
    const std::size_t comma = std::min(options.candidates.find(',', at), options.candidates.size());
    const std::string name = options.candidates.substr(at, comma - at);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Candidate& c) { return c.name == name; });
    if (name == "models")
      for (const Candidate& candidate : model_candidates(runtime, with_library)) add(candidate);
    else if (found != all.end())
      add(*found);
    else if (!knows(all_candidates(Runtime::libomp, with_library), name) &&
             !knows(all_candidates(Runtime::libgomp, with_library), name))
      refuse("--candidates: there is no " + name + (with_library ? "" : " (nothing preloaded)"));
    at = comma + 1;
  }
  return list;
}

} // namespace bench
