// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process_limits.h"

#include "cgroup.h"
#include "line_reader.h"
#include "options.h"
#include "ranks.h"
#include "system_call.h"
#include "thread_pin.h"
#include "tokens.h"

#include <atomic>
#include <cerrno>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace wstree::place {

namespace {

/// The program around us must not see that we have called the system.
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

/// Returns whether the runtimes bind threads if `name` is the first of the variables that is set. Without
/// OMP_PROC_BIND each of the others asks for it.
bool binds(std::string_view name, const char* const* envp) noexcept {
  if (name.empty()) return false;
  const auto value = config::find_variable(envp, name);
  return value && !is_off(*value);
}

bool are_calls_filtered() noexcept { return config::system_call(SYS_prctl, PR_GET_SECCOMP) > 0; }
bool has_no_new_privileges() noexcept {
  return config::system_call(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) > 0;
}

pid_t own_process() noexcept { return static_cast<pid_t>(config::system_call(SYS_getpid)); }

// Written by the constructor of the library.
constinit bool g_were_filtered = false;
constinit bool g_had_no_new_privileges = false;

// seq_cst, both where one is written and the other read: either the look sees the filter that is to come, or
// who puts the filter up sees the look.
constinit std::atomic<bool> g_has_noted_filter{false};
/// Looks under way: the process in which they are, which the child of a fork is not, and how many.
constexpr unsigned k_count_bits = 32;
constinit std::atomic<std::uint64_t> g_looks{0};
std::uint64_t no_look_here() noexcept { return static_cast<std::uint64_t>(own_process()) << k_count_bits; }
bool is_looking() noexcept {
  const std::uint64_t none = no_look_here(), looks = g_looks.load(std::memory_order_seq_cst);
  return looks >> k_count_bits == none >> k_count_bits && looks != none;
}

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
  limits.quota = find_quota(root).time;
  const LocalRanks ranks = find_local_ranks(envp);
  limits.local_ranks = ranks.count;
  limits.rank_source = ranks.source;
  limits.ranks_share_mask = do_ranks_share(limits.mask, ranks.count, limits.online, root);
  return limits;
}

void note_call_filter() noexcept {
  g_were_filtered = are_calls_filtered();
  g_had_no_new_privileges = has_no_new_privileges();
}

void note_new_call_filter() noexcept {
  g_has_noted_filter.store(true, std::memory_order_seq_cst);
  constexpr timespec k_moment{.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int waits = 0; waits < 500 && is_looking(); ++waits)
    config::system_call(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &k_moment, nullptr);
}

bool has_new_call_filter() noexcept {
  if (g_has_noted_filter.load(std::memory_order_seq_cst)) return true;
  return g_were_filtered ? !g_had_no_new_privileges && has_no_new_privileges() : are_calls_filtered();
}

MachineLook::MachineLook() noexcept {
  const std::uint64_t none = no_look_here();
  std::uint64_t looks = g_looks.load(std::memory_order_relaxed);
  while (!g_looks.compare_exchange_weak(
      looks, (looks >> k_count_bits == none >> k_count_bits ? looks : none) + 1, std::memory_order_seq_cst)) {
  }
  may_begin_ = !has_new_call_filter();
}
MachineLook::~MachineLook() { g_looks.fetch_sub(1, std::memory_order_seq_cst); }

} // namespace wstree::place
