// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mapped_watch.h"

#include "inspect/openmp_runtime.h"
#include "support/text_file.h"

#include <sstream>
#include <string>
#include <utility>

namespace wstree::cli {

namespace fs = std::filesystem;

namespace {

/// Returns the CPUs in "Cpus_allowed_list: 0-3,8" of /proc/PID/status.
place::CpuSet allowed_cpus(const std::string& status) {
  constexpr std::string_view k_name = "Cpus_allowed_list:";
  const auto begin = status.find(k_name);
  place::CpuSet cpus;
  if (begin == std::string::npos) return cpus;
  std::istringstream list(
      status.substr(begin + k_name.size(), status.find('\n', begin) - begin - k_name.size()));
  for (std::uint32_t first = 0; list >> first;) {
    std::uint32_t last = first;
    if (list.peek() == '-') list.ignore() >> last;
    for (auto cpu = first; cpu <= last && cpu < place::CpuSet::k_cpus; ++cpu) cpus.add(cpu);
    list.ignore(); // the comma
  }
  return cpus;
}

/// Returns the number of the rank in an environment: entries NAME=value, each with a 0 behind it.
std::string rank_in(std::string environment) {
  environment.insert(0, 1, '\0');
  for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    const auto key = std::string(1, '\0') + name + "=";
    if (const auto begin = environment.find(key); begin != std::string::npos)
      return environment.c_str() + begin + key.size();
  }
  return {};
}

} // namespace

place::CpuSet MappedWatch::cpus(pid_t process) const {
  const auto found = seen_.find(process);
  return found == seen_.end() ? place::CpuSet{} : found->second.cpus;
}

place::CpuSet MappedWatch::bound(pid_t process) const {
  const auto found = seen_.find(process);
  return found == seen_.end() ? place::CpuSet{} : found->second.bound;
}

std::string MappedWatch::rank(pid_t process) const {
  const auto found = seen_.find(process);
  return found == seen_.end() ? std::string() : found->second.rank;
}

void MappedWatch::look(pid_t process) {
  const auto folder = processes_ / std::to_string(process);
  for (auto& file : mapped_files(read_text(folder / "maps").value_or(""))) files_.insert(std::move(file));
  // A launcher sets the CPUs before it starts the program, which may bind its threads later.
  std::error_code error;
  if (const auto cpus = allowed_cpus(read_text(folder / "status").value_or("")); !cpus.empty()) {
    auto& seen = seen_[process];
    // A process that ends has no program and no variables any more.
    if (auto program = fs::read_symlink(folder / "exe", error); !error && program != seen.program)
      seen = {std::move(program)};
    if (seen.cpus.count() < cpus.count()) seen.cpus = cpus;
    if (auto rank = rank_in(read_text(folder / "environ").value_or("")); !rank.empty())
      seen.rank = std::move(rank);
  }
  // Each thread has children and CPUs of its own. Everything here may be gone at any moment.
  place::CpuSet bound;
  std::size_t threads = 0;
  fs::directory_iterator thread(folder / "task", error);
  for (; !error && thread != fs::directory_iterator(); thread.increment(error), ++threads) {
    bound.add(allowed_cpus(read_text(thread->path() / "status").value_or("")));
    std::istringstream children(read_text(thread->path() / "children").value_or(""));
    for (pid_t child = 0; children >> child;) look(child);
  }
  // While threads come and go, there are fewer.
  if (auto& most = seen_[process].bound; threads > 1 && most.count() < bound.count()) most = bound;
}

} // namespace wstree::cli
