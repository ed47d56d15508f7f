// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.h"
#include "marked_threads.h"
#include "near_name.h"
#include "tokens.h"
#include "words.h"

namespace wstree::config {
namespace {

using Line = FixedText<k_max_line + 1>;

constexpr std::string_view k_prefix = "WSTREE_";
// Enough of a value to recognise it, and little enough that the accepted values always fit on the line
// as well.
constexpr std::size_t k_shown_value = 128;
constexpr std::size_t k_shown_name = 64;

constexpr std::size_t longest_bad_value_line() {
  std::size_t longest = 0;
  for (const OptionText& option : k_options) {
    const std::size_t size = option.name.size() + option.accepted.size() + option.default_value.size();
    if (size > longest) longest = size;
  }
  constexpr std::string_view fixed_part =
      "wstree: ='' is not understood (accepted: ); using monotonic:wstrapezoid";
  constexpr std::string_view advice = "; did you mean wsqueue_lock?"; // about a misspelled schedule
  return longest + fixed_part.size() + advice.size() + k_shown_value;
}
static_assert(longest_bad_value_line() <= k_max_line, "a line about a bad value would be cut off");

void report_bad_value(Option option, std::string_view value, std::string_view used,
                      ErrorSink errors) noexcept {
  Line line;
  line.append("wstree: ").append(text_of(option).name).append("='").append_foreign(value, k_shown_value);
  line.append("' is not understood (accepted: ").append(text_of(option).accepted);
  line.append("); using ").append(used);
  errors(line.view());
}

void report_unknown_name(std::string_view name, ErrorSink errors) noexcept {
  Line line;
  line.append("wstree: ").append_foreign(name, k_shown_name).append(" is not an option of this library");
  const auto near = nearest_option(name);
  if (!near.empty()) line.append("; did you mean ").append(near).append("?");
  errors(line.view());
}

bool is_reserved(std::string_view name) noexcept {
  return name == "WSTREE_REQUEST" || name == "WSTREE_LIBRARY" || name == k_watched ||
         name.starts_with("WSTREE_TEST_");
}

bool is_option(std::string_view name) noexcept {
  for (const OptionText& option : k_options)
    if (option.name == name) return true;
  return false;
}

std::string_view name_of(std::string_view entry) noexcept { return entry.substr(0, entry.find('=')); }

void report_unknown_names(const char* const* envp, ErrorSink errors) noexcept {
  if (envp == nullptr) return;
  for (; *envp != nullptr; ++envp) {
    const std::string_view name = name_of(*envp);
    if (name.starts_with(k_prefix) && !is_option(name) && !is_reserved(name))
      report_unknown_name(name, errors);
  }
}

/// Takes the options from the environment one by one, so that each is read, checked and marked in the
/// same way.
class Loader {
public:
  Loader(const char* const* envp, ErrorSink errors, Options& options) noexcept
      : envp_(envp), errors_(errors), options_(options) {}

  /// Stores the result of `parse` for the variable's value; leaves `target` alone if it is not set or bad.
  template <class Value, class Parse> void read(Option option, Value& target, Parse parse) noexcept {
    const auto value = find_variable(envp_, text_of(option).name);
    if (!value || trim(*value).empty()) return;
    if (const std::optional<Value> parsed = parse(*value)) {
      target = *parsed;
      options_.origins[static_cast<std::size_t>(option)] = Origin::environment;
    } else {
      report_bad_value(option, *value, text_of(option).default_value, errors_);
    }
  }

private:
  const char* const* envp_;
  ErrorSink errors_;
  Options& options_;
};

/// The number of threads that the library has written may stand in the place of WSTREE_THREADS.
void read_threads(const char* const* envp, Loader& loader, Options& options) noexcept {
  if (is_marked_threads(find_variable(envp, k_team_variable).value_or(""))) {
    options.counts_threads = true;
    options.origins[static_cast<std::size_t>(Option::threads)] = Origin::environment;
  }
  loader.read(Option::threads, options.counts_threads, parse_threads);
  loader.read(Option::wait, options.adapts_waiting, parse_threads);
}

} // namespace

std::optional<std::string_view> find_variable(const char* const* envp, std::string_view name) noexcept {
  if (envp == nullptr) return std::nullopt;
  for (; *envp != nullptr; ++envp) {
    const std::string_view entry = *envp;
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name))
      return without_first(entry, name.size() + 1);
  }
  return std::nullopt;
}

Options load(const char* const* envp, ErrorSink errors) noexcept {
  Options options;
  Loader loader(envp, errors, options);
  Stats stats;
  std::string_view record;
  std::string_view trace;
  std::string_view rules;
  loader.read(Option::loops, options.loops, parse_loops);
  loader.read(Option::strategy, options.strategy, parse_strategy);
  loader.read(Option::batch, options.batch, parse_batch);
  loader.read(Option::history, options.history, parse_history);
  loader.read(Option::fallback, options.fallback, parse_fallback);
  loader.read(Option::bind, options.bind, parse_bind);
  read_threads(envp, loader, options);
  loader.read(Option::stats, stats, parse_stats);
  loader.read(Option::counters, options.counters, parse_switch);
  loader.read(Option::record, record, parse_record);
  loader.read(Option::trace, trace, parse_record);
  loader.read(Option::trace_events, options.trace_events, parse_trace_events);
  loader.read(Option::rules, rules, parse_rules);
  loader.read(Option::ompt, options.ompt, parse_switch);
  loader.read(Option::verbose, options.verbose, parse_switch);
  loader.read(Option::display_env, options.display_env,
              [](std::string_view value) noexcept { return std::optional(parse_display_env(value)); });
  loader.read(Option::display_affinity, options.display_affinity,
              [](std::string_view value) noexcept { return std::optional(parse_display_affinity(value)); });
  loader.read(Option::affinity_format, options.affinity_format, [](std::string_view value) noexcept {
    return std::optional(FixedText<k_max_affinity_format + 1>(value));
  });
  options.stats = stats.format;
  options.stats_path.append(stats.path);
  options.record_path.append(record);
  options.trace_path.append(trace);
  options.rules.append(rules);
  report_unknown_names(envp, errors);
  return options;
}

void report_schedule(std::string_view value, const ScheduleRequest& request, ErrorSink errors) noexcept {
  if (!request.chunk_malformed) return;
  ValueText used(to_text(request));
  if (request.kind == ScheduleKind::wstree) used.append(",1");
  report_bad_value(Option::schedule, value, used.view(), errors);
}

void report_misspelled_schedule(std::string_view value, std::string_view used, ErrorSink errors) noexcept {
  Line line;
  line.append("wstree: OMP_SCHEDULE='").append_foreign(value, k_shown_value).append("' is not understood");
  const auto near = nearest_schedule(value);
  if (!near.empty()) line.append("; did you mean ").append(near).append('?');
  line.append(" (accepted: ").append(text_of(Option::schedule).accepted);
  line.append("); using ").append(used);
  errors(line.view());
}

std::string_view to_text(ScheduleKind kind) noexcept { return word_of(k_schedule_words, kind); }
std::string_view to_text(Strategy strategy) noexcept { return word_of(k_strategy_words, strategy); }
std::string_view to_text(Bind bind) noexcept { return word_of(k_bind_words, bind); }
std::string_view to_text(StatsFormat format) noexcept { return word_of(k_stats_words, format); }
std::string_view to_text(DisplayEnv display) noexcept { return word_of(k_display_words, display); }

ValueText to_text(LoopKinds loops) noexcept {
  ValueText text;
  for (std::size_t i = 0; i < k_loop_words.size(); ++i) {
    if ((loops.bits >> i & 1) == 0) continue;
    if (!text.empty()) text.append(',');
    text.append(k_loop_words[i]);
  }
  return text;
}

ValueText to_text(Batch batch) noexcept {
  ValueText text(word_of(k_batch_words, batch.mode));
  if (batch.mode != BatchMode::timed || batch.value != 0) text.append(':').append_number(batch.value);
  return text;
}

ValueText to_text(Fallback fallback) noexcept {
  ValueText text(word_of(k_fallback_words, fallback.kind));
  if (fallback.chunk != 0) text.append(',').append_number(fallback.chunk);
  return text;
}

ValueText to_text(const ScheduleRequest& request) noexcept {
  ValueText text(request.monotonic ? "monotonic:" : "");
  text.append(to_text(request.kind));
  if (request.chunk_given) text.append(',').append_number(request.chunk);
  return text;
}

} // namespace wstree::config
