// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process_limits.h"

#include "cgroup.h"
#include "line_reader.h"
#include "options.h"
#include "ranks.h"
#include "system_call.h"
#include "thread_pin.h"
#include "tokens.h"

#include <cerrno>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace wstree::place {

namespace {

/// The program around us must not see that we have asked the system something.
class KeepErrno {
public:
  KeepErrno() noexcept : saved_(errno) {}
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;
  ~KeepErrno() { errno = saved_; }

private:
  int saved_;
};

std::uint32_t online_cpus(const char* root) noexcept {
  LineReader lines(below(root, "/sys/devices/system/cpu/online"));
  const auto line = lines.next();
  const auto set = line ? parse_cpu_list(*line) : std::nullopt;
  if (set && !set->empty()) return set->count();
  const long count = ::sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? static_cast<std::uint32_t>(count) : 1;
}

std::string_view find_user_placed(const char* const* envp) noexcept {
  constexpr std::string_view k_names[] = {"OMP_PROC_BIND", "OMP_PLACES", "KMP_AFFINITY", "GOMP_CPU_AFFINITY"};
  for (const std::string_view name : k_names) {
    const auto value = config::find_variable(envp, name);
    if (value && !config::trim(*value).empty()) return name;
  }
  return {};
}

bool is_off(std::string_view value) noexcept {
  for (const std::string_view word : {"false", "none", "disabled"})
    if (config::same_word(config::trim(value), word)) return true;
  return false;
}

/// Whether the runtimes bind threads where `name` is the first of the variables that is set. Without
/// OMP_PROC_BIND each of the others asks for it.
bool binds(std::string_view name, const char* const* envp) noexcept {
  if (name.empty()) return false;
  const auto value = config::find_variable(envp, name);
  return value && !is_off(*value);
}

bool are_calls_filtered() noexcept { return config::system_call(SYS_prctl, PR_GET_SECCOMP) > 0; }

constinit bool g_were_filtered = false; // written by the constructor of the library

} // namespace

CpuSet current_mask() noexcept {
  CpuSet mask;
  if (config::system_call(SYS_sched_getaffinity, 0, CpuSet::k_bytes, mask.data()) < 0) return CpuSet();
  return mask;
}

bool set_current_mask(const CpuSet& mask) noexcept {
  if (has_new_call_filter()) return false;
  const KeepErrno keep;
  return ::sched_setaffinity(0, CpuSet::k_bytes, static_cast<const cpu_set_t*>(mask.data())) == 0;
}

Limits find_limits(const char* const* envp, const char* root) noexcept {
  const KeepErrno keep;
  Limits limits;
  limits.user_placed = find_user_placed(envp);
  limits.runtime_binds = binds(limits.user_placed, envp);
  limits.mask = limits.runtime_binds ? process_mask() : CpuSet();
  if (limits.mask.empty()) limits.mask = current_mask();
  limits.online = online_cpus(root);
  limits.quota = find_quota(root).cpus;
  const LocalRanks ranks = find_local_ranks(envp);
  limits.local_ranks = ranks.count;
  limits.rank_source = ranks.source;
  limits.ranks_share_mask = do_ranks_share(limits.mask, ranks.count, limits.online, root);
  return limits;
}

void note_call_filter() noexcept { g_were_filtered = are_calls_filtered(); }

bool has_new_call_filter() noexcept { return !g_were_filtered && are_calls_filtered(); }

} // namespace wstree::place
