// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading and unloading.
//
// The library is linked with -z initfirst, so that its constructor runs before every other object's: an
// OpenMP runtime, or a constructor that calls one, must not see OMP_SCHEDULE=wstree, which it would reject
// with a warning. At that time the C library is not initialised: no environ, no errno, no allocation. The
// constructor therefore works on the environment that the loader passes to it, and everything else waits for
// the first use (session.cpp).
#include "message.h"
#include "options.h"
#include "rebind.h"
#include "session.h"
#include "tokens.h"

#include "wstree/core/platform.h"

#include <sys/auxv.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

namespace {

using namespace wstree;

constexpr std::string_view k_variable = "OMP_SCHEDULE=";

/// libomp says that INT_MAX is too large.
constexpr std::uint64_t k_most_chunk = 2147483646;

constinit char g_replacement[64] = {};

/// Overwrites an entry of the environment. A child process that has the library as well reads the marked kind
/// as wstree, one that has not finds a valid schedule. A demand for monotonic order is not handed down:
/// dynamic is monotonic.
void replace(char*& entry, const config::ScheduleRequest& request) noexcept {
  config::FixedText<sizeof g_replacement> text(k_variable);
  text.append(request.monotonic ? "dynamic" : config::k_marked_kind);
  if (request.chunk_given) text.append(',').append_number(std::min(request.chunk, k_most_chunk));
  std::memcpy(g_replacement, text.view().data(), text.view().size());
  entry = g_replacement;
}

/// The request of a parent process, handed down as above.
std::optional<config::ScheduleRequest> inherited(std::string_view value) noexcept {
  if (!value.starts_with(config::k_marked_kind)) return std::nullopt;
  const std::string_view chunk = value.substr(config::k_marked_kind.size());
  if (chunk.empty()) return config::ScheduleRequest{};
  if (chunk.front() != ',') return std::nullopt;
  config::ScheduleRequest request;
  request.chunk_given = true;
  const char* end = chunk.data() + chunk.size();
  const auto result = std::from_chars(chunk.data() + 1, end, request.chunk);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return request;
}

void read_request(char** envp) noexcept {
  for (char** entry = envp; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with(k_variable)) continue;
    const std::string_view value = text.substr(k_variable.size());
    if (const auto request = inherited(value)) {
      abi::remember_request(value, *request);
    } else if (const auto asked = config::parse_schedule(value)) {
      if (asked->monotonic)
        observe::say(
            "wstree: OMP_SCHEDULE demands monotonic order, which a stealing thread cannot keep (accepted: "
            "wstree[,chunk]); using dynamic");
      else
        abi::remember_request(value, *asked);
      replace(*entry, *asked);
    }
    return; // as getenv: the first entry counts
  }
}

/// Loops that say dynamic, guided or auto can be asked for without OMP_SCHEDULE. A value that makes no sense
/// activates the library too: its first region then says so.
void read_loops(const char* const* envp) noexcept {
  const auto value = config::find_variable(envp, config::text_of(config::Option::loops).name);
  if (!value || config::trim(*value).empty()) return;
  const auto loops = config::parse_loops(*value);
  if (!loops || loops->any_named()) abi::activate();
}

[[gnu::constructor]] void load(int, char**, char** envp) noexcept {
  observe::remember_stderr();
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  abi::remember_start(core::StdPlatform::ticks(), static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
                                                      static_cast<std::uint64_t>(now.tv_nsec));
  if (getauxval(AT_SECURE) != 0) {
    abi::remember_secure(); // another user's environment must not steer this process
    return;
  }
  if (envp != nullptr) {
    read_request(envp);
    read_loops(envp);
  }
  abi::rebind_if_shadowed();
}

[[gnu::destructor]] void unload() noexcept { abi::report_at_exit(); }

} // namespace
