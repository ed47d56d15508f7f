// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters.h"

#include "paired.h"
#include "perf_event.h"
#include "support/text_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace wstree::cli {

namespace {

constexpr std::array<config::CountedEvent, k_energy> k_events{
    config::k_cycles_event, config::k_instructions_event, config::k_cache_misses_event,
    config::k_switches_event};

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
  perf_event_attr attributes{};
  attributes.disabled = attributes.inherit = attributes.enable_on_exec = 1;
  for (std::size_t i = 0; i < k_energy; ++i) files_[i] = static_cast<int>(k_events[i].open(attributes));
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
  if (const int error = error_of(k_cycles); error == EACCES || error == EPERM)
    text += fmt::format(
        " Cycles, instructions and cache misses may not be counted: kernel.perf_event_paranoid is {}, "
        "and 2 or less is needed (sysctl), or CAP_PERFMON.",
        paranoid());
  else if (error != 0)
    text += fmt::format(" Cycles, instructions and cache misses cannot be counted: {}.",
                        error == ENOENT ? "the system has no counters here, like many virtual machines"
                                        : std::strerror(error));
  if (const int error = error_of(k_context_switches); error != 0)
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
