// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checks.h"

#include "support/schedule_names.h"
#include "support/settings.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>

namespace wstree::cli {

namespace {

using config::Option;

constexpr char k_variable[] = "variable";

/// Returns the value without blanks and in small letters, as the OpenMP runtimes read values.
std::string plain(std::string_view value) {
  std::string text;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (!std::isspace(byte)) text += static_cast<char>(std::tolower(byte));
  }
  return text;
}

bool is_true(const std::string& value) {
  return value == "true" || value == "1" || value == "yes" || value == "on";
}

void collect(void* context, std::string_view line) noexcept {
  static_cast<std::vector<std::string>*>(context)->emplace_back(line);
}

/// Returns the check of the library's own line about a value, such as "wstree: X='y' is not understood
/// (accepted: z); using w".
Check of_line(std::string line) {
  constexpr std::string_view k_speaker = "wstree: ";
  if (line.starts_with(k_speaker)) line.erase(0, k_speaker.size());
  // From behind, because the front is the user's and may look like anything.
  const auto is = line.rfind(" is not ");
  const auto behind = [&](std::size_t at) { return is < at ? at : std::string::npos; };
  const auto semicolon = behind(line.rfind("; "));
  Check check{k_variable, Status::warn, line.substr(0, is),
              "the library does not know it, and goes on without", "correct it or unset it"};
  if (is == std::string::npos) return check;
  const auto accepted = behind(line.rfind("(accepted: "));
  if (accepted != std::string::npos) {
    const auto end = line.rfind(')');
    check.cause = fmt::format("it{}{}", line.substr(is, accepted - 1 - is),
                              semicolon == std::string::npos ? "" : line.substr(semicolon));
    check.fix = "use one of " + line.substr(accepted + 11, end - accepted - 11) + "; or unset it";
  } else if (semicolon != std::string::npos) {
    check.cause = "it" + line.substr(is, semicolon - is);
    check.fix = line.substr(semicolon + 2);
  }
  return check;
}

/// Returns whether threads size their batches, as WSTREE_BATCH sets them, and steal from one another.
bool is_batched(config::ScheduleKind kind) { return !config::is_monotonic(kind); }

Check check_schedule(const Environment& environment, config::LoopKinds loops) {
  const auto value = environment.get("OMP_SCHEDULE").value_or("");
  if (plain(value).empty()) {
    return {k_variable, Status::ok, "OMP_SCHEDULE is not set; wstree run sets it to wstree"};
  }
  const auto found = fmt::format("OMP_SCHEDULE={}", value);
  if (const auto request = requested_schedule(value)) {
    std::vector<std::string> lines;
    config::report_schedule(value, *request, {collect, &lines});
    if (!lines.empty()) return of_line(lines.front());
    if (request->monotonic && !config::is_monotonic(request->kind)) {
      return {k_variable, Status::warn, found,
              "a thread that steals cannot keep the order, so dynamic is used",
              fmt::format("set OMP_SCHEDULE={}", config::to_text(request->kind))};
    }
    if (!loops.has(config::LoopKind::runtime)) {
      return {k_variable, Status::warn, found,
              "WSTREE_LOOPS lacks runtime, so schedule(runtime) loops stay with the OpenMP runtime",
              "add runtime to WSTREE_LOOPS"};
    }
    if (!is_batched(request->kind)) {
      return {k_variable, Status::note, found,
              "no thread takes work from another under it; it is there to compare with wstree, wsrange and "
              "wsqueue"};
    }
    return {k_variable, Status::ok, found};
  }
  const auto word = plain(value);
  const auto near = is_runtime_schedule(word) ? std::string_view() : nearest_schedule(word);
  if (!near.empty() || config::is_misspelled_schedule(word)) {
    return {k_variable, Status::warn, found,
            "there is no such schedule, so schedule(runtime) loops stay with the OpenMP runtime",
            near.empty() ? fmt::format("write one of {}", own_schedules())
                         : fmt::format("write OMP_SCHEDULE={}", near)};
  }
  return {k_variable, Status::warn, found, "schedule(runtime) loops use it and stay with the OpenMP runtime",
          "set OMP_SCHEDULE=wstree, or say wstree run, which does so"};
}

/// Checks for options that a schedule other than the tree leaves unused.
void check_schedule_options(const Environment& environment, Checks& checks) {
  const auto request = requested_schedule(environment.get("OMP_SCHEDULE").value_or(""));
  if (!request || request->kind == config::ScheduleKind::wstree) return;
  const auto unused = [&](Option option, std::string_view users) {
    const auto name = text_of(option).name;
    const auto value = environment.get(name).value_or("");
    if (plain(value).empty()) return;
    checks.push_back(
        {k_variable, Status::note, fmt::format("{}={}", name, value),
         fmt::format("OMP_SCHEDULE={} does not use it; only {}", config::to_text(request->kind), users)});
  };
  unused(Option::strategy, "wstree does");
  if (!is_batched(request->kind)) unused(Option::batch, "wstree, wsrange, wsqueue and wsqueue_lock do");
}

using Value = std::optional<std::string>;

Check warn(const char* variable, const std::string& value, std::string cause, std::string fix) {
  return {k_variable, Status::warn, fmt::format("{}={}", variable, value), std::move(cause), std::move(fix)};
}
Check note(const char* variable, const std::string& value, std::string cause) {
  return {k_variable, Status::note, fmt::format("{}={}", variable, value), std::move(cause)};
}

void check_team(const Environment& environment, Checks& checks) {
  for (const auto* variable :
       {"OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "KMP_ALL_THREADS", "KMP_DEVICE_THREAD_LIMIT"}) {
    const auto value = plain(environment.get(variable).value_or(""));
    if (value == "1" || value.starts_with("1,"))
      checks.push_back(warn(variable, value, "a team of one thread has nothing to steal from",
                            fmt::format("set it to the number of CPUs, or unset it")));
  }
  if (plain(environment.get("OMP_MAX_ACTIVE_LEVELS").value_or("")) == "0") {
    checks.push_back(
        warn("OMP_MAX_ACTIVE_LEVELS", "0", "all parallel regions run on one thread", "unset it"));
  }
  const auto library = plain(environment.get("KMP_LIBRARY").value_or(""));
  if (library == "serial")
    checks.push_back(
        warn("KMP_LIBRARY", library, "LLVM's runtime runs everything on one thread", "unset it"));
  const auto dynamic = plain(environment.get("OMP_DYNAMIC").value_or(""));
  if (is_true(dynamic))
    checks.push_back(
        note("OMP_DYNAMIC", dynamic, "the OpenMP runtime may make teams smaller than asked for"));
}

/// Checks the placement of threads, which both the OpenMP runtime and the library can do.
void check_places(const Environment& environment, config::Bind bind, Checks& checks) {
  const bool runtime_stays_out = plain(environment.get("OMP_PROC_BIND").value_or("")) == "false";
  const bool is_ours = bind == config::Bind::close || bind == config::Bind::spread;
  for (const std::string variable : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
    const auto value = environment.get(variable).value_or("");
    const auto word = plain(value);
    if (word.empty() || word == "false" || word == "none" || word == "disabled") continue;
    if (!is_ours) {
      checks.push_back(note(variable.c_str(), value,
                            "the OpenMP runtime binds the threads; the library leaves them there"));
    } else if (variable == "OMP_PLACES" && runtime_stays_out) {
      checks.push_back(
          note(variable.c_str(), value,
               fmt::format("WSTREE_BIND={} puts the threads on these places", config::to_text(bind))));
    } else if (!runtime_stays_out) {
      checks.push_back(warn(variable.c_str(), value,
                            fmt::format("the OpenMP runtime binds the threads; the library leaves them there "
                                        "in spite of WSTREE_BIND={}",
                                        config::to_text(bind)),
                            variable == "OMP_PLACES"
                                ? std::string("set OMP_PROC_BIND=false, or unset WSTREE_BIND")
                                : fmt::format("unset {} or WSTREE_BIND", variable)));
    }
  }
}

void check_habits(const Environment& environment, Checks& checks) {
  const auto policy = plain(environment.get("OMP_WAIT_POLICY").value_or(""));
  if (policy == "active") {
    checks.push_back(
        note("OMP_WAIT_POLICY", policy,
             "idle threads keep their CPUs busy, and take time from others that share these CPUs"));
  } else if (policy == "passive") {
    checks.push_back(note("OMP_WAIT_POLICY", policy,
                          "threads sleep between parallel regions, so that short regions start more slowly"));
  }
  const auto block_time = plain(environment.get("KMP_BLOCKTIME").value_or(""));
  if (block_time.starts_with("inf"))
    checks.push_back(note("KMP_BLOCKTIME", block_time,
                          "idle threads of LLVM's runtime never sleep, and take time from others that share "
                          "these CPUs"));
}

} // namespace

Checks check_variables(Environment environment) {
  std::vector<std::string> lines;
  const auto options = config::load(environment.pointers().data(), {collect, &lines});
  Checks checks{check_schedule(environment, options.loops)};
  for (auto& line : lines) checks.push_back(of_line(std::move(line)));
  check_schedule_options(environment, checks);
  check_team(environment, checks);
  check_places(environment, options.bind, checks);
  check_habits(environment, checks);
  return checks;
}

} // namespace wstree::cli
