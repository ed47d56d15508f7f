// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"

#include "commands.h"
#include "doctor/cpu_kinds.h"
#include "doctor/served_loops.h"
#include "inspect/statistics.h"
#include "measured_run.h"
#include "reference.h"
#include "support/message.h"
#include "support/shell_words.h"
#include "support/text_file.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

namespace wstree::cli {

namespace {

namespace fs = std::filesystem;

/// Runs of variants of which a rough time is enough.
constexpr std::size_t k_few = 3;

volatile std::sig_atomic_t g_interrupted = 0;

/// Signals that end the rounds early. Finished rounds are judged, and the folder goes.
constexpr int k_ends[] = {SIGINT, SIGTERM, SIGHUP};

void interrupt(int) { g_interrupted = 1; }

/// Returns the reports of the processes of a run, and removes their files.
std::vector<nlohmann::json> take_reports(const fs::path& folder) {
  std::vector<nlohmann::json> reports;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".json" && entry.path().string().find(".json.") == std::string::npos)
      continue;
    auto report = nlohmann::json::parse(read_text(entry.path()).value_or(""), nullptr, false);
    if (report.is_object() && report.contains("loops") && report["loops"].is_array())
      reports.push_back(std::move(report));
    fs::remove(entry.path(), error);
  }
  return reports;
}

/// Returns the schedule of the library that does the same as the loop of the statistics does without it.
std::string form_of_source(const nlohmann::json& loop, const ProgramLoops& kinds) {
  const auto schedule = loop.value("schedule", std::string());
  const auto says = [&](const char* kind) { return schedule.ends_with(std::string("(") + kind + ")"); };
  if (says("dynamic")) return "wsfixed";
  if (says("guided")) return "wsguided";
  if (says("auto")) return kinds.llvm ? "wsguided" : "wsstatic";
  const char* const set = std::getenv("OMP_SCHEDULE");
  const std::string usual = set != nullptr ? set : kinds.llvm ? "static" : "dynamic";
  return usual.find("dynamic") != std::string::npos  ? "wsfixed"
         : usual.find("guided") != std::string::npos ? "wsguided"
                                                     : "wsstatic";
}

/// Returns whether a loop that takes a while is handed out in few whole chunks.
bool has_large_chunk(const nlohmann::json& report) {
  return std::ranges::any_of(report["loops"], [&](const nlohmann::json& loop) {
    return loop.is_object() && !loop.value("too_short_to_tell", false) &&
           has_few_chunks(loop.value("chunk", std::uint64_t{1}), loop.value("iterations", std::uint64_t{0}),
                          loop.value("calls", std::uint64_t{0}), report.value("threads", std::uint64_t{1}));
  });
}

/// Returns the settings for the fast CPUs; none where the user has chosen the team or its places.
Settings fast_settings() {
  for (const char* const name : {"OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY",
                                 "KMP_AFFINITY", "KMP_HW_SUBSET"})
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0') return {};
  auto fast = fast_cpus();
  return fast ? std::move(fast->settings) : Settings{};
}

} // namespace

CompareSession::CompareSession(const CompareRequest& request, fs::path library,
                               std::vector<std::string> sanitizers)
    : request_(request), library_(std::move(library)), sanitizers_(std::move(sanitizers)),
      command_(request.command), is_short_(request.save || request.against) {
  auto name = (fs::temp_directory_path() / "wstree-compare-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw fs::filesystem_error("a folder is needed", name,
                               std::make_error_code(static_cast<std::errc>(errno)));
  folder_ = name;
  comparison_.program = request.command.front();
  comparison_.arguments.assign(request.command.begin() + 1, request.command.end());
  comparison_.seed = request.seed.value_or(std::random_device{}());
  for (const int signal : k_ends) std::signal(signal, interrupt);
}

CompareSession::~CompareSession() {
  for (const int signal : k_ends) std::signal(signal, SIG_DFL);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Environment CompareSession::environment_of(const Variant& variant) const {
  Environment environment;
  for (const auto& [name, value] : variant.settings) environment.set(name, value);
  if (!variant.served) return environment;
  environment.preload_first(library_.string(), sanitizers_);
  environment.set("WSTREE_STATS", "json=" + (folder_ / "%p.json").string());
  return environment;
}

void CompareSession::run(Samples& samples, bool warm) {
  auto environment = environment_of(samples.variant);
  std::optional<RunCounters> counters;
  if (request_.counters && !warm) comparison_.counters_problem = counters.emplace().problem();
  auto command = samples.variant.starter;
  command.insert(command.end(), command_.begin(), command_.end());
  const auto result = run_measured(command, environment, folder_);
  if (g_interrupted != 0) return;
  if (result.error != 0)
    samples.problem = std::strerror(result.error);
  else if (result.wait_status != 0 && !request_.ignore_failure)
    samples.problem = end_text(result.wait_status) +
                      (result.errors.empty() ? "" : "; it says: " + visible_lines(result.errors));
  samples.outputs.push_back(result.output);
  if (warm) {
    once_ = result.seconds;
  } else {
    samples.seconds.push_back(result.seconds);
    samples.cpu_seconds.push_back(result.cpu_seconds);
    if (counters) samples.counts.push_back(counters->read());
  }
  if (samples.variant.served && !warm) read_loops(samples.variant);
}

void CompareSession::read_loops(const Variant& variant) {
  for (const auto& report : take_reports(folder_)) {
    comparison_.threads = std::max(comparison_.threads, report.value("threads", std::uint64_t{1}));
    for (const auto& loop : report["loops"]) {
      if (!loop.is_object()) continue;
      const auto name = name_of_loop(loop, resolver_);
      const auto text = loop_text(loop, name);
      // The compiler may have made several loops of one: they are one line, and one rule.
      const auto offset = std::to_string(loop.value("offset", std::uint64_t{0}));
      const auto key =
          name.line != 0 ? name.file + ":" + text : loop.value("module", std::string()) + "+" + offset;
      const auto [known, is_new] = known_loops_.try_emplace(key, comparison_.loops.size());
      if (is_new) comparison_.loops.push_back({text, name.file, name.line});
      auto& times = comparison_.loops[known->second];
      if (variant.role == Role::tree) {
        if (times.counted_round != comparison_.rounds + 1) times.calls = times.iterations = 0;
        times.counted_round = comparison_.rounds + 1;
        const auto calls = loop.value("calls", std::uint64_t{0}),
                   iterations = loop.value("iterations", std::uint64_t{0});
        times.calls += calls;
        times.iterations += iterations;
        times.chunk = loop.value("chunk", std::uint64_t{1});
        if (has_few_chunks(times.chunk, iterations, calls, report.value("threads", std::uint64_t{1})))
          times.large_chunk = times.chunk;
        times.form = form_of_source(loop, comparison_.kinds);
        times.imbalance = loop.value("imbalance", 1.0);
        times.preempted = loop.value("preempted_seconds", 0.0);
      }
      if (variant.role == Role::tree || variant.role == Role::per_loop)
        times.tells[variant.name] += loop.value("too_short_to_tell", false) ? -1 : 1;
      if (variant.role == Role::per_loop && !times.form.empty() && variant.name.starts_with(times.form))
        times.as_it_is = variant.name;
      auto& seconds = times.seconds[variant.name];
      const auto rounds = comparison_.rounds + 1;
      // A loop of several processes, or with several schedules, is one loop; a loop that was not executed
      // took no time.
      seconds.resize(rounds, 0.0);
      seconds[rounds - 1] += loop.value("seconds", 0.0);
    }
  }
}

void CompareSession::read_refused(const nlohmann::json& report) {
  const auto statistics = read_statistics(report.dump(), resolver_);
  if (!statistics || !comparison_.step.empty()) return;
  comparison_.step = next_step(*statistics);
  if (comparison_.step.empty()) return;
  const auto time = wall_time_of(*statistics);
  comparison_.refused = statistics->unserved.front();
  comparison_.refused_part = time.is_known() ? time.refused / time.all : 0;
}

std::string CompareSession::warm_up(bool llvm) {
  Samples plain{{k_as_it_is, Role::as_it_is}, {}, {}, {}};
  show_progress(0, "warming up");
  run(plain, true);
  if (!plain.problem.empty())
    return fmt::format(
        "'{}' does not run to a good end as it is: {}; --ignore-failure compares it all the same",
        comparison_.program, plain.problem);
  Samples all{{"all loops",
               Role::cause,
               true,
               {{"OMP_SCHEDULE", "wstree"}, {"WSTREE_LOOPS", "runtime,dynamic,guided,auto,static"}}},
              {},
              {},
              {}};
  run(all, true);
  if (!all.problem.empty())
    return fmt::format("'{}' does not run to a good end with the library: {}", comparison_.program,
                       all.problem);
  ServedLoops kinds;
  const bool has_rules = std::getenv("WSTREE_RULES") != nullptr;
  for (const auto& report : take_reports(folder_)) {
    add_loops(report.dump(), kinds);
    read_refused(report);
    comparison_.kinds.large_chunk |= !has_rules && has_large_chunk(report);
  }
  comparison_.kinds.llvm = llvm;
  for (const auto& [kind, count] : kinds) {
    if (kind == "runtime")
      comparison_.kinds.runtime_kind = true;
    else if (kind == "equal parts" || kind == "balanced")
      comparison_.kinds.static_kind = true;
    else
      comparison_.kinds.literal_kinds += (comparison_.kinds.literal_kinds.empty() ? "" : ",") + kind;
  }
  if (kinds.empty() && g_interrupted == 0)
    return fmt::format(
        "no loop of '{}' can be served, so there is nothing to compare; next: wstree doctor -- {}",
        comparison_.program, shell_words(command_));
  const bool waits = std::getenv("OMP_WAIT_POLICY") == nullptr;
  for (auto& variant :
       make_variants(comparison_.kinds, request_.schedules, request_.per_loop, waits, fast_settings()))
    if (!is_short_ || variant.role == Role::as_it_is || variant.role == Role::tree ||
        variant.role == Role::per_loop)
      comparison_.samples.push_back({std::move(variant), {}, {}, {}});
  comparison_.samples.front().outputs = plain.outputs;
  return {};
}

std::size_t CompareSession::rivals() const {
  const auto of = [&](Role role) {
    return static_cast<std::size_t>(std::ranges::count_if(
        comparison_.samples, [&](const Samples& samples) { return samples.variant.role == role; }));
  };
  return std::max(of(Role::schedule), of(Role::per_loop));
}

double CompareSession::seconds_left(std::size_t round) const {
  double known = 0, left = 0;
  std::size_t count = 0;
  for (const auto& samples : comparison_.samples)
    if (!samples.seconds.empty()) known += median_of(samples.seconds), ++count;
  for (const auto& samples : comparison_.samples) {
    if (!samples.problem.empty()) continue;
    const auto rounds = samples.variant.few_rounds ? std::min(k_few, request_.rounds) : request_.rounds;
    const double once = samples.seconds.empty() ? (count != 0 ? known / static_cast<double>(count) : once_)
                                                : median_of(samples.seconds);
    left += once * static_cast<double>(rounds - std::min(rounds, std::max(round, samples.seconds.size())));
  }
  return left;
}

void CompareSession::show_progress(std::size_t round, const std::string& variant) {
  if (round == 0) return progress_.show(variant);
  progress_.show(fmt::format("round {} of {}, {}", round, request_.rounds, variant), seconds_left(round - 1));
}

void CompareSession::run_round(std::vector<Samples>& all, std::mt19937_64& random) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  // Not std::shuffle, whose result differs between libraries: a seed has to mean the same everywhere.
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  for (const auto index : order) {
    auto& samples = all[index];
    if (!samples.problem.empty() || (samples.variant.few_rounds && comparison_.rounds >= k_few)) continue;
    show_progress(comparison_.rounds + 1, samples.variant.name);
    run(samples, false);
    if (g_interrupted != 0) break;
  }
}

std::string CompareSession::keep(const std::string& text) const {
  auto file = (folder_ / "kept").string();
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

std::vector<Samples> CompareSession::check(const Contest& comparison, const std::vector<Invocation>& advice) {
  std::vector<Samples> all = {{{k_as_it_is, Role::as_it_is}, {}}};
  for (const auto& one : advice) {
    Variant variant{"what is recommended", Role::advice, false, one.variables};
    if (one.served) variant.starter = {fs::read_symlink("/proc/self/exe").string(), "run"};
    variant.starter.insert(variant.starter.end(), one.options.begin(), one.options.end());
    if (one.served) variant.starter.emplace_back("--");
    all.push_back({std::move(variant), {}});
  }
  std::mt19937_64 random(comparison.seed);
  comparison_.rounds = 0;
  while (!advice.empty() && comparison_.rounds < comparison.rounds && g_interrupted == 0) {
    run_round(all, random);
    ++comparison_.rounds;
  }
  progress_.clear();
  return all;
}

Contest CompareSession::measure() {
  std::mt19937_64 random(comparison_.seed);
  std::size_t runs = 0;
  for (const auto& samples : comparison_.samples)
    runs += samples.variant.few_rounds ? std::min(k_few, request_.rounds) : request_.rounds;
  progress_.note(fmt::format("about {} runs of {}", runs, duration_text(once_)), seconds_left(0));
  for (std::size_t i = 0; i < request_.warm_up && g_interrupted == 0; ++i) {
    for (auto& samples : comparison_.samples) {
      if (!samples.problem.empty() || samples.variant.few_rounds || g_interrupted != 0) continue;
      show_progress(0, "warming up, " + samples.variant.name);
      run(samples, true);
    }
    static_cast<void>(take_reports(folder_));
  }
  while (comparison_.rounds < request_.rounds && g_interrupted == 0) {
    comparison_.countdown.push_back(countdown_seconds());
    run_round(comparison_.samples, random);
    if (g_interrupted == 0) ++comparison_.rounds;
  }
  progress_.clear();
  comparison_.countdown.resize(comparison_.rounds);
  for (auto& samples : comparison_.samples) {
    samples.seconds.resize(std::min(samples.seconds.size(), comparison_.rounds));
    samples.cpu_seconds.resize(samples.seconds.size());
    if (request_.counters) samples.counts.resize(samples.seconds.size());
  }
  for (auto& loop : comparison_.loops) {
    for (auto& [name, seconds] : loop.seconds) seconds.resize(comparison_.rounds, 0.0);
    loop.too_short = std::none_of(loop.tells.begin(), loop.tells.end(),
                                  [](const auto& variant) { return variant.second > 0; });
  }
  std::sort(comparison_.loops.begin(), comparison_.loops.end(), [](const LoopTimes& a, const LoopTimes& b) {
    const auto time = [](const LoopTimes& loop) {
      const auto tree = loop.seconds.find(k_tree);
      return tree == loop.seconds.end() ? 0.0 : median_of(tree->second);
    };
    return time(a) > time(b);
  });
  return std::move(comparison_);
}

} // namespace wstree::cli
