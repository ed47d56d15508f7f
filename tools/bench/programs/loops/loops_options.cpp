// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops_options.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <regex>

namespace bench {
namespace {

constexpr const char* k_usage =
    "usage: loops [options]\n"
    "  --rounds N          samples of each value (7)\n"
    "  --passes N          parallel passes a sample, of which the median counts (3)\n"
    "  --only REGEX        workloads whose name contains a match\n"
    "  --groups LIST       of paper,program,small,memory,grid,short,untuned (the first four)\n"
    "  --step-grid         an expensive interval at every position and of every span: --groups grid\n"
    "  --candidates LIST   of static,dyn1,dyn64,guided,trapez,steal1,steal64, on oneTBB\n"
    "                      tbb_auto,tbb_affinity,tbb_static,tbb_simple, and wstree (all of these), and of\n"
    "                      "
    "wsrange,wsqueue,wsqueue_lock,wsfixed1,wsfixed64,wsguided,wsfac2,wstrapezoid,wsstatic;\n"
    "                      models: all that begin with ws, beside static,dyn1,dyn64,guided\n"
    "  --threads P         (the processors of this process)\n"
    "  --scale F           work of every loop in parts of the usual (1)\n"
    "  --seed N            of the order within the rounds (1)\n"
    "  --bare              the runtime's schedules also in a process without the library\n"
    "  --beside PROGRAM    the same with this other build of the program, for another runtime; repeatable\n"
    "  --libomp DIR        the same with the libomp in this folder; `system`: with the one that the linker\n"
    "                      chooses where LD_LIBRARY_PATH names none; repeatable\n"
    "  --variant NAME,VARIABLE=VALUE...\n"
    "                      the tree with these environment variables as one more candidate; repeatable\n"
    "  --max-delay F       pass not used if its threads waited for longer than this part of it (0.02)\n"
    "  --fifo              real-time priority 1, with pauses; needs the right to (chrt -f 1 is the same "
    "without)\n"
    "  --json FILE         write the figures\n"
    "  --list              names of the workloads\n"
    "  --which             name of the runtime that this program was built for\n"
    "  --samples           print the samples instead of a report\n"
    "Preload libwstree.so to have the candidates that begin with ws.\n";

constexpr Group k_groups[] = {Group::paper, Group::program, Group::small,  Group::memory,
                              Group::grid,  Group::brief,   Group::untuned};

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

/// True if the option is one without a value.
bool take_flag(Options& options, const std::string& option) {
  const std::map<std::string, bool*> flags = {
      {"--bare", &options.bare},       {"--fifo", &options.fifo},           {"--list", &options.list},
      {"--samples", &options.samples}, {"--step-grid", &options.step_grid}, {"--which", &options.which}};
  const auto found = flags.find(option);
  if (found == flags.end()) return false;
  return *found->second = true;
}

void take_value(Options& options, const std::string& option, const char* value) {
  const std::map<std::string, std::string*> texts = {{"--only", &options.only},
                                                     {"--groups", &options.groups},
                                                     {"--candidates", &options.candidates},
                                                     {"--json", &options.json}};
  const std::map<std::string, int*> counts = {{"--rounds", &options.settings.rounds},
                                              {"--passes", &options.settings.passes},
                                              {"--threads", &options.settings.threads}};
  const std::map<std::string, std::vector<std::string>*> lists = {{"--beside", &options.beside},
                                                                  {"--libomp", &options.libomps}};
  if (const auto text = texts.find(option); text != texts.end())
    *text->second = value;
  else if (const auto count = counts.find(option); count != counts.end())
    *count->second = static_cast<int>(number(option.c_str(), value, 1));
  else if (const auto list = lists.find(option); list != lists.end())
    list->second->push_back(value);
  else if (option == "--variant")
    options.variants.push_back(variant_of(value));
  else if (option == "--scale")
    options.scale = number(option.c_str(), value, 1e-6);
  else if (option == "--max-delay")
    options.settings.max_delay = number(option.c_str(), value, 0);
  else if (option == "--seed")
    options.settings.seed = static_cast<std::uint64_t>(number(option.c_str(), value, 0));
  else
    refuse("unknown option: " + option);
}

/// Groups that are asked for, by name.
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

void refuse(const std::string& text) {
  std::fprintf(stderr, "bench: %s\n%s", text.c_str(), k_usage);
  std::exit(2);
}

Options parse(int argc, char** argv, Runtime runtime, int processors) {
  Options options;
  options.settings.threads = processors;
  for (int k = 1; k < argc; ++k) {
    const std::string option = argv[k];
    if (option == "--help") std::fputs(k_usage, stdout), std::exit(0);
    if (take_flag(options, option)) continue;
    if (k + 1 >= argc) refuse("unknown option, or a value is missing: " + option);
    take_value(options, option, argv[++k]);
  }
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
