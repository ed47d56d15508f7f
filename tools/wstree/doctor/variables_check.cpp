// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checks.h"

#include "near_name.h"
#include "settings.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>

namespace wstree::cli {

namespace {

using config::Option;

constexpr char k_name[] = "variable";

/// Without blanks and in small letters, as the OpenMP runtimes read values.
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

/// The library's own line about a value, such as "wstree: X='y' is not understood (accepted: z); using w", in
/// the three parts of a check.
Check of_line(std::string line) {
  constexpr std::string_view k_speaker = "wstree: ";
  if (line.starts_with(k_speaker)) line.erase(0, k_speaker.size());
  const auto is = line.find(" is not ");
  const auto semicolon = line.rfind("; ");
  Check check{k_name, Status::warn, line.substr(0, is), "the library does not know it, and goes on without",
              "correct it or unset it"};
  if (is == std::string::npos) return check;
  const auto accepted = line.find("(accepted: ");
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

/// The kind in "modifier:kind,chunk".
std::string kind_of(const std::string& value) {
  const auto colon = value.find(':');
  const auto rest = colon == std::string::npos ? value : value.substr(colon + 1);
  return rest.substr(0, rest.find(','));
}

Check check_schedule(const Environment& environment, config::LoopKinds loops) {
  const auto value = environment.get("OMP_SCHEDULE").value_or("");
  if (plain(value).empty()) {
    return {k_name, Status::ok, "OMP_SCHEDULE is not set; wstree run sets it to wstree"};
  }
  const auto found = fmt::format("OMP_SCHEDULE={}", value);
  if (const auto request = requested_schedule(value)) {
    std::vector<std::string> lines;
    config::report_schedule(value, *request, {collect, &lines});
    if (!lines.empty()) return of_line(lines.front());
    if (request->monotonic) {
      return {k_name, Status::warn, found, "a thread that steals cannot keep the order, so dynamic is used",
              "set OMP_SCHEDULE=wstree"};
    }
    if (!loops.has(config::LoopKind::runtime)) {
      return {k_name, Status::warn, found,
              "WSTREE_LOOPS lacks runtime, so schedule(runtime) loops stay with the OpenMP runtime",
              "add runtime to WSTREE_LOOPS"};
    }
    return {k_name, Status::ok, found};
  }
  constexpr std::size_t k_misspelt = 2;
  const bool is_near = config::edit_distance(kind_of(plain(value)), "wstree") <= k_misspelt;
  return {k_name, Status::warn, found,
          is_near ? "this is not wstree: the OpenMP runtime complains and takes a schedule of its own"
                  : "schedule(runtime) loops use it and stay with the OpenMP runtime",
          is_near ? "write OMP_SCHEDULE=wstree"
                  : "set OMP_SCHEDULE=wstree, or say wstree run, which does so"};
}

using Value = std::optional<std::string>;

Check warn(const char* variable, const std::string& value, std::string cause, std::string fix) {
  return {k_name, Status::warn, fmt::format("{}={}", variable, value), std::move(cause), std::move(fix)};
}
Check note(const char* variable, const std::string& value, std::string cause) {
  return {k_name, Status::note, fmt::format("{}={}", variable, value), std::move(cause)};
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

/// Both the OpenMP runtime and the library can place threads.
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
             "idle threads keep their CPUs busy, which costs others that share them their time"));
  } else if (policy == "passive") {
    checks.push_back(note("OMP_WAIT_POLICY", policy,
                          "threads sleep between parallel regions, so that short regions start more slowly"));
  }
}

} // namespace

Checks check_variables(Environment environment) {
  std::vector<std::string> lines;
  const auto options = config::load(environment.pointers().data(), {collect, &lines});
  Checks checks{check_schedule(environment, options.loops)};
  for (auto& line : lines) checks.push_back(of_line(std::move(line)));
  check_team(environment, checks);
  check_places(environment, options.bind, checks);
  check_habits(environment, checks);
  return checks;
}

} // namespace wstree::cli
