// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine_facts.h"

#include "support/text_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <sched.h>
#include <set>
#include <sstream>
#include <sys/utsname.h>
#include <unistd.h>

namespace wstree::cli::bench {

namespace {

std::string first_line(const std::string& file) {
  const auto text = read_text(file).value_or("");
  return text.substr(0, text.find('\n'));
}

/// Returns the values of a key of /proc/cpuinfo, one for each CPU.
std::vector<std::string> values(const std::string& cpuinfo, const std::string& key) {
  std::vector<std::string> found;
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos || line.substr(0, line.find_last_not_of("\t :", colon) + 1) != key)
      continue;
    found.push_back(line.substr(colon + 2));
  }
  return found;
}

/// Returns the numbers of CPUs, and of cores and packages if /proc/cpuinfo has them.
std::string topology(const std::string& cpuinfo) {
  const auto packages = values(cpuinfo, "physical id"), cores = values(cpuinfo, "core id");
  const auto online = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN));
  auto text = fmt::format("{} CPUs online, {} allowed", online, allowed_cpus());
  if (packages.empty() || packages.size() != cores.size()) return text;
  std::set<std::pair<std::string, std::string>> distinct;
  for (std::size_t i = 0; i < cores.size(); ++i) distinct.emplace(packages[i], cores[i]);
  return text + fmt::format(", {} cores in {} packages", distinct.size(),
                            std::set(packages.begin(), packages.end()).size());
}

/// Returns the governor of the clock, because a clock that changes during a table spoils it.
std::string frequency() {
  const auto governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (governor.empty()) return "not told by the kernel";
  const auto turbo = first_line("/sys/devices/system/cpu/intel_pstate/no_turbo");
  return governor + (turbo == "0" ? ", turbo on" : turbo == "1" ? ", turbo off" : "");
}

bool is_virtual(const std::string& cpuinfo) {
  const auto flags = values(cpuinfo, "flags");
  return !flags.empty() && (" " + flags.front() + " ").find(" hypervisor ") != std::string::npos;
}

} // namespace

unsigned allowed_cpus() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0)
    return static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return static_cast<unsigned>(CPU_COUNT(&mask));
}

std::string load_average() {
  const auto line = first_line("/proc/loadavg");
  std::istringstream words(line);
  std::string one, five, fifteen;
  words >> one >> five >> fifteen;
  return fmt::format("{} {} {}", one, five, fifteen);
}

Facts machine_facts() {
  const auto cpuinfo = read_text("/proc/cpuinfo").value_or("");
  utsname kernel{};
  uname(&kernel);
  const auto models = values(cpuinfo, "model name");
  return {{"processor", fmt::format("{}{}", models.empty() ? kernel.machine : models.front(),
                                    is_virtual(cpuinfo) ? ", in a virtual machine" : "")},
          {"topology", topology(cpuinfo)},
          {"clock", frequency()},
          {"kernel", fmt::format("{} {} {}", kernel.sysname, kernel.release, kernel.machine)},
          {"load average", load_average()},
          {"priority", sched_getscheduler(0) == SCHED_OTHER ? "that of all others" : "real-time"}};
}

} // namespace wstree::cli::bench
