// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "display.h"

namespace wstree::config {
namespace {

// A path may be longer than a line of messages, and this block has to show all of it.
using Value = FixedText<k_max_path + 16>;
using Line = FixedText<Value::capacity() + 64>;

Value value_of(Option option, const Options& options) noexcept {
  switch (option) {
  case Option::schedule:
    break; // belongs to the tasks, not to the options
  case Option::loops:
    return Value(to_text(options.loops).view());
  case Option::strategy:
    return Value(to_text(options.strategy));
  case Option::batch:
    return Value(to_text(options.batch).view());
  case Option::history:
    return Value(options.history ? "on" : "off");
  case Option::fallback:
    return Value(to_text(options.fallback).view());
  case Option::bind:
    return Value(to_text(options.bind));
  case Option::threads:
    return Value(options.counts_threads ? "auto" : "off");
  case Option::wait:
    return Value(options.adapts_waiting ? "auto" : "off");
  case Option::stats: {
    Value value(to_text(options.stats));
    if (!options.stats_path.empty()) value.append('=').append(options.stats_path.view());
    return value;
  }
  case Option::counters:
    return Value(options.counters ? "1" : "0");
  case Option::record:
    return Value(options.record_path.empty() ? "0" : options.record_path.view());
  case Option::trace:
    return Value(options.trace_path.empty() ? "0" : options.trace_path.view());
  case Option::trace_events:
    return Value().append_number(options.trace_events);
  case Option::rules:
    return Value(options.rules.empty() ? "0" : options.rules.view());
  case Option::ompt:
    return Value(options.ompt ? "1" : "0");
  case Option::verbose:
    return Value(options.verbose ? "1" : "0");
  case Option::display_env:
    return Value(to_text(options.display_env));
  case Option::display_affinity:
    return Value(options.display_affinity ? "true" : "false");
  case Option::affinity_format:
    return Value(options.affinity_format.view());
  }
  return Value();
}

void show(Option option, std::string_view value, Origin origin, LineSink lines) noexcept {
  Line line;
  line.append("  [wstree] ")
      .append(text_of(option).name)
      .append("='")
      .append_foreign(value, Value::capacity());
  line.append("'  (").append(origin == Origin::environment ? "environment" : "default").append(")");
  lines(line.view());
}

} // namespace

void display(const Options& options, const std::optional<ScheduleRequest>& schedule,
             LineSink lines) noexcept {
  lines("WSTREE DISPLAY ENVIRONMENT BEGIN");
  if (schedule)
    show(Option::schedule, to_text(*schedule).view(), Origin::environment, lines);
  else
    lines("  [wstree] OMP_SCHEDULE: none of ours, schedule(runtime) loops stay with the OpenMP runtime");
  for (std::size_t i = 0; i < k_option_count; ++i) {
    const auto option = static_cast<Option>(i);
    if (option == Option::schedule) continue;
    show(option, value_of(option, options).view(), options.origin(option), lines);
  }
  lines("WSTREE DISPLAY ENVIRONMENT END");
}

} // namespace wstree::config
