// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading and unloading.
//
// The library is linked with -z initfirst, so that its constructor runs before every other object's: an
// OpenMP runtime must not see OMP_SCHEDULE=wstree, which it would reject with a warning. At that time the C
// library is not initialised: no environ, no errno, no allocation. The constructor therefore works on the
// environment that the loader passes to it, and everything else waits for the first use (session.cpp).
//
// Nor are other preloaded libraries initialised, which may have put functions of their own in front of any of
// the C library's. So a constructor calls the kernel (system_call.h) or the C library itself
// (find_unwrapped()). Among the functions that other libraries may define it calls only those that compilers
// call on their own, such as memcpy().
#include "marked_schedule.h"
#include "message.h"
#include "options.h"
#include "process/load_time.h"
#include "process/session.h"
#include "process/team_size.h"
#include "process_limits.h"
#include "resolve/binding.h"
#include "resolve/libc.h"
#include "resolve/loaded_objects.h"
#include "tokens.h"

#include <sys/auxv.h>

#include <cstring>
#include <string_view>

namespace {

using namespace wstree;

constexpr std::string_view k_variable = "OMP_SCHEDULE=";

constinit char g_replacement[80] = {};

/// Overwrites an entry of the environment, for the runtime and for child processes.
void replace(char*& entry, std::string_view value) noexcept {
  config::FixedText<sizeof g_replacement> text(k_variable);
  text.append(value);
  std::memcpy(g_replacement, text.view().data(), text.view().size());
  entry = g_replacement;
}

/// The value demands an order that the schedule cannot keep. Dynamic keeps it, so runtime and children
/// get that.
void replace_unkept(char*& entry, const config::ScheduleRequest& request) noexcept {
  config::FixedText<160> line("wstree: OMP_SCHEDULE demands monotonic order, which a stealing thread cannot "
                              "keep (accepted: ");
  line.append(config::to_text(request.kind)).append("[,chunk]); using dynamic");
  observe::say(line.view());
  config::FixedText<32> value("dynamic");
  if (request.chunk_given) value.append(',').append_number(request.chunk);
  replace(entry, value.view());
}

/// The value is meant for us. The runtime would complain about it as well, and therefore gets another value.
void replace_misspelled(char*& entry, std::string_view value) noexcept {
  constexpr std::string_view k_instead = "static";
  config::report_misspelled_schedule(value, k_instead, observe::stderr_lines());
  replace(entry, k_instead);
}

void read_request(char** envp) noexcept {
  for (char** entry = envp; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with(k_variable)) continue;
    const std::string_view value = text.substr(k_variable.size());
    if (const auto request = config::parse_marked(value)) {
      abi::remember_request(value, *request);
    } else if (const auto asked = config::parse_schedule(value)) {
      if (asked->monotonic && !config::is_monotonic(asked->kind)) return replace_unkept(*entry, *asked);
      abi::remember_request(value, *asked);
      // A child process that has the library reads the schedule of ours; one without it finds a
      // valid schedule.
      replace(*entry, config::to_marked(*asked).view());
    } else if (const auto chunk = config::parse_monotonic_dynamic(value)) {
      abi::marks().leave_to_program(*chunk);
    } else if (config::is_misspelled_schedule(value)) {
      replace_misspelled(*entry, value);
    }
    return; // as getenv: the first entry counts
  }
}

/// Region and loop entries call tools in an active process only. The first region reports a value that makes
/// no sense.
void read_ompt(const char* const* envp) noexcept {
  const auto value = config::find_variable(envp, config::text_of(config::Option::ompt).name);
  if (!value || config::trim(*value).empty()) return;
  const auto wanted = config::parse_switch(*value);
  if (wanted == false) return;
  abi::activate();
  abi::want_tool(wanted.has_value());
}

/// A user can ask for loops with dynamic, guided or auto in their source, without OMP_SCHEDULE, and rules may
/// ask for any. A value that makes no sense activates the library too: the first region then reports it.
void read_wishes(const char* const* envp) noexcept {
  const auto rules = config::find_variable(envp, config::text_of(config::Option::rules).name);
  if (rules && !config::parse_rules(*rules).value_or("").empty()) {
    abi::activate();
    abi::want_pieces();
  }
  const auto value = config::find_variable(envp, config::text_of(config::Option::loops).name);
  if (!value || config::trim(*value).empty()) return;
  const auto loops = config::parse_loops(*value);
  if (!loops || loops->any_named()) abi::activate();
  if (loops && loops->has(config::LoopKind::proven)) abi::want_pieces();
}

[[gnu::constructor]] void load(int, char**, char** envp) noexcept {
  if (!abi::is_glibc()) return abi::remember_secure(); // nor does another C library pass arguments
  abi::remember_initial_objects();
  observe::remember_stderr();
  place::note_call_filter();
  abi::remember_load_time();
  if (abi::auxiliary_value(AT_SECURE, true) != 0) {
    abi::remember_secure(); // another user's environment must not steer this process
    return abi::bind_initial_objects(abi::k_all_doors);
  }
  if (envp != nullptr) {
    read_request(envp);
    read_wishes(envp);
    read_ompt(envp);
    abi::set_team_size(envp);
  }
  abi::bind_initial_objects(abi::k_all_doors);
  if (abi::active()) abi::rebind_tool_start();
}

[[gnu::destructor]] void unload() noexcept { abi::report_at_exit(); }

} // namespace
