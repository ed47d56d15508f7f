// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan.h"

#include "schedule_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

using simulate::k_ns;
using simulate::MachineSpec;
using simulate::Schedule;
using simulate::Time;

constexpr std::uint32_t k_most_threads = 1024;

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  return parts;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// "wsfixed,64,wstree": a number belongs to the schedule before it.
std::vector<std::string> split_schedules(std::string_view text) {
  std::vector<std::string> schedules;
  for (const auto& part : split(text)) {
    if (!schedules.empty() && number(part))
      schedules.back() += ',' + part;
    else
      schedules.push_back(part);
  }
  return schedules;
}

std::optional<std::string> take_schedules(const std::string& text, Plan& plan) {
  if (text == "all") {
    for (std::size_t m = 0; m < core::k_model_count; ++m)
      plan.schedules.push_back({static_cast<core::Model>(m), 0});
    return std::nullopt;
  }
  for (const auto& name : split_schedules(text)) {
    const auto request = config::parse_schedule(name);
    if (!request || request->chunk_malformed)
      return fmt::format("--schedule '{}' is not understood (accepted: all, or a list of {}, each also with "
                         ",chunk from 1 to {})",
                         name, own_schedules(), config::k_max_chunk);
    plan.schedules.push_back(
        {static_cast<core::Model>(request->kind), request->chunk_given ? request->chunk : 0});
  }
  return std::nullopt;
}

std::optional<std::string> take_workloads(const std::string& text, Plan& plan) {
  std::vector<std::string> names;
  if (text == "all")
    for (const auto known : simulate::shape_names()) names.emplace_back(known);
  else
    names = split(text);
  const auto work = static_cast<Time>(std::llround(plan.work_ms * 1e6)) * k_ns;
  for (const auto& name : names) {
    auto workload = simulate::make_workload(name, plan.iterations, work);
    if (!workload)
      return fmt::format("--workload '{}' is not understood (accepted: all, or a list of {})", name,
                         fmt::join(simulate::shape_names(), ", "));
    plan.workloads.push_back(std::move(*workload));
  }
  return std::nullopt;
}

std::optional<std::string> take_threads(const std::string& text, Plan& plan) {
  for (const auto& part : split(text)) {
    const auto threads = number(part);
    if (!threads || *threads == 0 || *threads > k_most_threads)
      return fmt::format("--threads '{}' is not understood (accepted: a list of numbers from 1 to {})", part,
                         k_most_threads);
    plan.threads.push_back(static_cast<std::uint32_t>(*threads));
  }
  return std::nullopt;
}

/// A place of MachineSpec for each name of --machine.
struct Field {
  std::string_view name;
  std::uint64_t least, most;
  std::uint64_t (*get)(const MachineSpec&);
  void (*set)(MachineSpec&, std::uint64_t);
};
constexpr std::uint64_t k_most_ns = 1'000'000;
constexpr std::array k_fields{
    Field{"hit", 0, k_most_ns, [](const MachineSpec& m) { return m.prices.hit / k_ns; },
          [](MachineSpec& m, std::uint64_t v) { m.prices.hit = v * k_ns; }},
    Field{"rmw", 0, k_most_ns, [](const MachineSpec& m) { return m.prices.rmw / k_ns; },
          [](MachineSpec& m, std::uint64_t v) { m.prices.rmw = v * k_ns; }},
    Field{"near", 0, k_most_ns, [](const MachineSpec& m) { return m.levels.front().transfer / k_ns; },
          [](MachineSpec& m, std::uint64_t v) { m.levels.front().transfer = v * k_ns; }},
    Field{"far", 0, k_most_ns, [](const MachineSpec& m) { return m.across / k_ns; },
          [](MachineSpec& m, std::uint64_t v) { m.across = v * k_ns; }},
    Field{"domain", 0, k_most_threads, [](const MachineSpec& m) { return std::uint64_t{m.levels.front().members}; },
          [](MachineSpec& m, std::uint64_t v) { m.levels.front().members = static_cast<std::uint32_t>(v); }},
    Field{"pinned", 0, 1, [](const MachineSpec& m) { return std::uint64_t{m.aware}; },
          [](MachineSpec& m, std::uint64_t v) { m.aware = v != 0; }},
    Field{"overlap", 1, 64, [](const MachineSpec& m) { return std::uint64_t{m.prices.overlap}; },
          [](MachineSpec& m, std::uint64_t v) { m.prices.overlap = static_cast<std::uint32_t>(v); }},
    Field{"keep", 1, k_most_ns, [](const MachineSpec& m) { return std::uint64_t{m.prices.keep}; },
          [](MachineSpec& m, std::uint64_t v) { m.prices.keep = static_cast<std::uint32_t>(v); }},
    Field{"fault", 0, k_most_ns, [](const MachineSpec& m) { return m.prices.fault / k_ns; },
          [](MachineSpec& m, std::uint64_t v) { m.prices.fault = v * k_ns; }},
    Field{"tick", 0, k_most_ns, [](const MachineSpec& m) { return m.tick / k_ns; },
          [](MachineSpec& m, std::uint64_t v) { m.tick = v * k_ns; }},
    Field{"dispatch", 0, k_most_ns, [](const MachineSpec& m) { return m.dispatch / k_ns; },
          [](MachineSpec& m, std::uint64_t v) { m.dispatch = v * k_ns; }},
    Field{"skew", 0, 1'000'000'000, [](const MachineSpec& m) { return m.skew / k_ns; },
          [](MachineSpec& m, std::uint64_t v) { m.skew = v * k_ns; }},
};

std::optional<std::string> take_machine(const std::string& text, Plan& plan) {
  for (const auto& part : split(text)) {
    const auto equals = std::min(part.find('='), part.size());
    const auto name = std::string_view(part).substr(0, equals);
    const auto field = std::ranges::find(k_fields, name, &Field::name);
    if (field == k_fields.end()) {
      std::vector<std::string_view> names;
      for (const auto& known : k_fields) names.push_back(known.name);
      return fmt::format("--machine '{}' is not understood (accepted: a list of NAME=NUMBER, NAME one of {})",
                         part, fmt::join(names, ", "));
    }
    const auto value = number(std::string_view(part).substr(std::min(equals + 1, part.size())));
    if (!value || *value < field->least || *value > field->most)
      return fmt::format("--machine '{}' is not understood (accepted for {}: a number from {} to {})", part,
                         name, field->least, field->most);
    field->set(plan.machine, *value);
  }
  return std::nullopt;
}

std::optional<std::string> take_strategy(const std::string& text, Plan& plan) {
  const auto strategy = config::parse_strategy(text);
  if (!strategy)
    return fmt::format("--strategy '{}' is not understood (accepted: {})", text,
                       config::text_of(config::Option::strategy).accepted);
  plan.strategy = *strategy;
  plan.settings.strategy = static_cast<core::Strategy>(*strategy);
  return std::nullopt;
}

std::optional<std::string> take_batch(const std::string& text, Plan& plan) {
  const auto batch = config::parse_batch(text);
  if (!batch)
    return fmt::format("--batch '{}' is not understood (accepted: {})", text,
                       config::text_of(config::Option::batch).accepted);
  plan.batch = *batch;
  plan.settings.batch = static_cast<core::BatchMode>(batch->mode);
  if (batch->mode != config::BatchMode::timed) {
    plan.settings.limit = batch->value;
  } else if (batch->value != 0) {
    constexpr double k_ticks_per_ns = 2.5;
    const auto ticks = static_cast<std::uint64_t>(static_cast<double>(batch->value) * k_ticks_per_ns);
    plan.settings.shortest_target = plan.settings.longest_target = ticks;
  }
  return std::nullopt;
}

static_assert(static_cast<int>(core::Strategy::predefined) ==
                  static_cast<int>(config::Strategy::predefined) &&
              static_cast<int>(core::Strategy::assign) == static_cast<int>(config::Strategy::assign) &&
              static_cast<int>(core::Strategy::assign_top) == static_cast<int>(config::Strategy::assigntop) &&
              static_cast<int>(core::Strategy::random_walk) ==
                  static_cast<int>(config::Strategy::randomwalk) &&
              static_cast<int>(core::Strategy::random_all) == static_cast<int>(config::Strategy::randomall) &&
              static_cast<int>(core::Strategy::find_max) == static_cast<int>(config::Strategy::findmax));
static_assert(static_cast<int>(core::BatchMode::timed) == static_cast<int>(config::BatchMode::timed) &&
              static_cast<int>(core::BatchMode::exponential) ==
                  static_cast<int>(config::BatchMode::exponential) &&
              static_cast<int>(core::BatchMode::fixed) == static_cast<int>(config::BatchMode::fixed) &&
              static_cast<int>(core::BatchMode::random) == static_cast<int>(config::BatchMode::random));
static_assert(core::k_model_count == config::k_schedule_kinds &&
              static_cast<int>(core::Model::queue_lock) ==
                  static_cast<int>(config::ScheduleKind::wsqueue_lock) &&
              static_cast<int>(core::Model::static_) == static_cast<int>(config::ScheduleKind::wsstatic));

} // namespace

std::optional<std::string> make_plan(const SimulateRequest& request, Plan& plan) {
  plan.settings = simulate::unmeasured();
  plan.settings.roots = request.roots;
  plan.iterations = request.iterations;
  plan.work_ms = request.work_ms;
  plan.seed = request.seed;
  plan.rounds = request.rounds;
  auto problem = take_schedules(request.schedules, plan);
  if (!problem) problem = take_workloads(request.workloads, plan);
  if (!problem) problem = take_threads(request.threads, plan);
  if (!problem && request.machine) problem = take_machine(*request.machine, plan);
  if (!problem && request.strategy) problem = take_strategy(*request.strategy, plan);
  if (!problem && request.batch) problem = take_batch(*request.batch, plan);
  if (problem) return problem;
  const auto fewest = std::ranges::min(plan.threads);
  if (plan.settings.roots > fewest)
    return fmt::format("--roots {} is more than {} threads; the tree has at most one root per thread",
                       plan.settings.roots, fewest);
  return std::nullopt;
}

std::string name_of(const Schedule& schedule) {
  auto name = std::string(config::to_text(static_cast<config::ScheduleKind>(std::get<core::Model>(schedule.kind))));
  return schedule.chunk == 0 ? name : fmt::format("{},{}", name, schedule.chunk);
}

std::vector<MachineValue> values_of(const MachineSpec& machine) {
  std::vector<MachineValue> values;
  for (const auto& field : k_fields) values.push_back({field.name, field.get(machine)});
  return values;
}

Results::Results(const Plan& plan) : plan_(&plan) {
  for (const auto threads : plan.threads)
    for (const auto& workload : plan.workloads)
      for (const auto& schedule : plan.schedules) {
        const auto rounds = simulate::simulate(
            {&workload, schedule, threads, plan.settings, plan.machine, plan.seed, plan.rounds});
        const auto& round = simulate::median(rounds);
        const auto ideal = workload.ideal(threads);
        outcomes_.push_back({static_cast<double>(round.time) / static_cast<double>(ideal), ideal, round});
      }
}

double Results::geometric_mean(std::size_t threads, std::size_t schedule) const {
  double logs = 0;
  for (std::size_t w = 0; w < plan_->workloads.size(); ++w) logs += std::log(at(threads, w, schedule).ratio);
  return std::exp(logs / static_cast<double>(plan_->workloads.size()));
}

double Results::worst(std::size_t threads, std::size_t schedule) const {
  double most = 0;
  for (std::size_t w = 0; w < plan_->workloads.size(); ++w)
    most = std::max(most, at(threads, w, schedule).ratio);
  return most;
}

} // namespace wstree::cli
