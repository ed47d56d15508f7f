// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters.h"

#include "paired.h"
#include "support/text_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace wstree::cli {

namespace {

struct Event {
  std::uint32_t type;
  std::uint64_t config;
};
constexpr std::array<Event, k_energy> k_events{{{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
                                                {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
                                                {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
                                                {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES}}};

/// Returns the file descriptor; -1: `errno` has the reason.
int open_event(const Event& event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.disabled = attributes.inherit = attributes.enable_on_exec = 1;
  // Many users may not count events in the kernel; a context switch happens there.
  attributes.exclude_kernel = attributes.exclude_hv = event.type == PERF_TYPE_HARDWARE ? 1 : 0;
  // With more events than the processor has counters they take turns.
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

std::optional<double> joules_in(const std::filesystem::path& file) {
  constexpr double k_micro = 1e-6;
  const auto text = read_text(file);
  return text && !text->empty() ? std::optional(std::strtod(text->c_str(), nullptr) * k_micro) : std::nullopt;
}

std::string paranoid() {
  auto text = read_text("/proc/sys/kernel/perf_event_paranoid").value_or("not known");
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

} // namespace

RunCounters::RunCounters(const std::filesystem::path& powercap) {
  for (std::size_t i = 0; i < k_energy; ++i) {
    files_[i] = open_event(k_events[i]);
    errors_[i] = files_[i] < 0 ? errno : 0;
  }
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(powercap, error)) {
    // "intel-rapl:0" is a package; "intel-rapl:0:1" is a part of it.
    const auto name = entry.path().filename().string();
    if (!name.starts_with("intel-rapl:") || name.find(':') != name.rfind(':')) continue;
    const auto before = joules_in(entry.path() / "energy_uj");
    if (before)
      zones_.push_back(
          {entry.path() / "energy_uj", *before, joules_in(entry.path() / "max_energy_range_uj").value_or(0)});
  }
}

RunCounters::~RunCounters() {
  for (const int file : files_)
    if (file >= 0) ::close(file);
}

Counts RunCounters::read() const {
  Counts counts;
  for (std::size_t i = 0; i < k_energy; ++i) {
    struct {
      std::uint64_t value, enabled, running;
    } found{};
    if (files_[i] < 0 || ::read(files_[i], &found, sizeof found) != sizeof found || found.running == 0)
      continue;
    counts[i] = static_cast<double>(found.value) * static_cast<double>(found.enabled) /
                static_cast<double>(found.running);
  }
  double joules = 0;
  for (const auto& zone : zones_) {
    const auto now = joules_in(zone.file);
    if (!now) return counts;
    joules += *now - zone.before + (*now < zone.before ? zone.range : 0);
  }
  if (!zones_.empty()) counts[k_energy] = joules;
  return counts;
}

std::string RunCounters::problem() const {
  std::string text;
  if (const int error = errors_[k_cycles]; error == EACCES || error == EPERM)
    text += fmt::format(
        " Cycles, instructions and cache misses may not be counted: kernel.perf_event_paranoid is {}, "
        "and 2 or less is needed (sysctl), or CAP_PERFMON.",
        paranoid());
  else if (error != 0)
    text += fmt::format(" Cycles, instructions and cache misses cannot be counted: {}.",
                        error == ENOENT ? "the system has no counters here, like many virtual machines"
                                        : std::strerror(error));
  if (const int error = errors_[k_context_switches]; error != 0)
    text += fmt::format(" Context switches cannot be counted: {} (kernel.perf_event_paranoid is {}).",
                        std::strerror(error), paranoid());
  if (zones_.empty())
    text += " Energy is not known: /sys/class/powercap has no intel-rapl zone whose energy_uj may be read.";
  return text.empty() ? text : text.substr(1);
}

Counts medians_of(const std::vector<Counts>& runs) {
  Counts medians;
  for (std::size_t i = 0; i < k_counters; ++i) {
    std::vector<double> values;
    for (const auto& run : runs)
      if (run[i]) values.push_back(*run[i]);
    if (!runs.empty() && values.size() == runs.size()) medians[i] = median_of(values);
  }
  return medians;
}

} // namespace wstree::cli
