// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops_options.h"
#include "measure/options.h"
#include <algorithm>
#include <regex>

namespace bench {
namespace {

constexpr Group k_groups[] = {Group::paper, Group::program, Group::small,  Group::memory,
                              Group::grid,  Group::brief,   Group::untuned};

bool knows(const std::vector<Candidate>& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(), [&](const Candidate& c) { return c.name == name; });
}

bool any_runtime_knows(const std::string& name, bool with_library) {
  return knows(all_candidates(Runtime::libomp, with_library), name) ||
         knows(all_candidates(Runtime::libgomp, with_library), name) ||
         knows(all_candidates(Runtime::tbb, with_library), name);
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    words.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return words;
}

Variant variant_of(const std::string& text) {
  std::vector<std::string> words = words_of(text);
  Variant made{words.front(), {words.begin() + 1, words.end()}};
  const bool named = !made.name.empty() && made.name.find_first_of("= ") == made.name.npos;
  const bool assigned = std::all_of(made.variables.begin(), made.variables.end(),
                                    [](const std::string& word) { return word.find('=') - 1 < word.size(); });
  if (!named || made.variables.empty() || !assigned)
    refuse("--variant: expected NAME,VARIABLE=VALUE and not " + text);
  if (any_runtime_knows(made.name, true)) refuse("--variant: there is a candidate " + made.name + " already");
  return made;
}

void add_options(OptionList& list, Options& options, std::vector<std::string>& variants) {
  Settings& settings = options.settings;
  list.count("--rounds", settings.rounds, 1, "Samples of each value");
  list.count("--passes", settings.passes, 1, "Parallel passes of a sample, of which the median counts");
  list.text("--only", options.only, "Workloads whose name contains a match of this regular expression");
  list.text(
      "--groups", options.groups,
      "Of paper, program, small, memory (the usual ones), grid, short and untuned; separated by commas");
  list.flag("--step-grid", options.step_grid,
            "An expensive interval at every position and of every span: --groups grid");
  list.text(
      "--candidates", options.candidates,
      "Separated by commas. Of the runtime: static, dyn1, dyn64, guided, trapez, steal1, steal64; of "
      "oneTBB: tbb_auto, tbb_affinity, tbb_static, tbb_simple; wstree (all of these are usual); and the "
      "library's others, wsfixed as wsfixed1 or wsfixed64. models: all that begin with ws, beside "
      "static, dyn1, dyn64 and guided");
  list.count("--threads", settings.threads, 1, "Threads of a team");
  list.number("--scale", options.scale, 1e-6, "Work of every loop in parts of the usual");
  list.count("--seed", settings.seed, 0, "Of the order within the rounds");
  list.flag("--bare", options.bare, "The runtime's schedules also in a process without the library");
  list.texts("--beside", options.beside,
             "The same with this other build of the program, for another runtime; repeatable");
  list.texts("--libomp", options.libomps,
             "The same with the libomp in this folder; system: with the one that the linker chooses where "
             "LD_LIBRARY_PATH names none; repeatable");
  list.texts(
      "--variant", variants,
      "NAME,VARIABLE=VALUE...: the tree with these environment variables as one more candidate; repeatable");
  list.number("--max-delay", settings.max_delay, 0,
              "A pass is not used if its threads waited for longer than this part of it");
  list.flag("--fifo", options.fifo,
            "Real-time priority 1, with pauses; needs the right to (chrt -f 1 is the same without)");
  list.text("--json", options.json, "File for the figures");
  list.flag("--list", options.list, "Print the names of the workloads");
  list.flag("--which", options.which, "Print the name of the runtime that this program was built for");
  list.flag("--samples", options.samples, "Print the samples instead of a report");
}

/// Returns the names of the groups that the options select.
std::vector<std::string> selected_groups(const Options& options) {
  if (options.groups.empty()) return {"paper", "program", "small", "memory"};
  std::vector<std::string> words = words_of(options.groups);
  for (const std::string& word : words)
    if (std::none_of(std::begin(k_groups), std::end(k_groups),
                     [&](Group group) { return word == name_of(group); }))
      refuse("--groups: there is no " + word);
  return words;
}

} // namespace

Options parse(int argc, char** argv, Runtime runtime, int processors) {
  Options options;
  options.settings.threads = options.settings.processors = processors;
  std::vector<std::string> variants;
  OptionList list(
      "Measures loops under all schedules. Preload libwstree.so to have the candidates that begin "
      "with ws.");
  add_options(list, options, variants);
  list.parse(argc, argv);
  for (const std::string& text : variants) options.variants.push_back(variant_of(text));
  if (options.step_grid) {
    if (options.groups.empty()) options.groups = name_of(Group::grid);
    if (options.candidates.empty()) options.candidates = "static,dyn64,guided,tbb_auto,wstree";
  }
  // On fewer processors threads always wait for each other.
  if (options.settings.threads > processors) options.settings.max_delay = 1e9;
  if (!options.libomps.empty() && runtime != Runtime::libomp)
    refuse(std::string("--libomp: this program was built for ") + name_of(runtime));
  return options;
}

std::vector<WorkloadRecipe> selected_workloads(const Options& options) {
  const std::vector<std::string> groups = selected_groups(options);
  std::vector<WorkloadRecipe> list = all_workloads(options.scale);
  std::erase_if(list, [&](const WorkloadRecipe& recipe) {
    return std::find(groups.begin(), groups.end(), name_of(recipe.group)) == groups.end();
  });
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
  for (const std::string& name : words_of(options.candidates)) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Candidate& c) { return c.name == name; });
    if (name == "models")
      for (const Candidate& candidate : model_candidates(runtime, with_library)) add(candidate);
    else if (found != all.end())
      add(*found);
    else if (!options.step_grid && !any_runtime_knows(name, with_library))
      refuse("--candidates: there is no " + name + (with_library ? "" : " (nothing preloaded)"));
  }
  return list;
}

} // namespace bench
