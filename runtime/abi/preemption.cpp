// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "preemption.h"

#include "process/load_time.h"

#include "process_limits.h"
#include "system_call.h"

#include "wstree/core/platform.h"
#include "wstree/core/tuning.h"

#include <sys/resource.h>
#include <sys/syscall.h>

namespace wstree::abi {

namespace {

struct Usage {
  std::uint64_t cpu_us = 0;
  long slept = 0, preempted = 0; // number of times
};

/// The calling thread's latest part, until it ends.
struct TimedPart {
  const void* part = nullptr;
  std::uint64_t entered = 0;
  bool has_usage = false;
  Usage usage; // when it began
  /// Parts that are timed from here on: a question to the system takes longer than a brief loop.
  std::uint32_t timed = 0;
};
constinit thread_local TimedPart t_part __attribute__((tls_model("initial-exec")));

/// Returns false if the system may not be asked.
bool read(Usage& usage) noexcept {
  if (place::has_new_call_filter()) return false;
  rusage kernel{};
  if (config::system_call(SYS_getrusage, static_cast<int>(RUSAGE_THREAD), &kernel) != 0) return false;
  constexpr std::uint64_t k_us = 1'000'000;
  usage.cpu_us = static_cast<std::uint64_t>(kernel.ru_utime.tv_sec + kernel.ru_stime.tv_sec) * k_us +
                 static_cast<std::uint64_t>(kernel.ru_utime.tv_usec + kernel.ru_stime.tv_usec);
  usage.slept = kernel.ru_nvcsw;
  usage.preempted = kernel.ru_nivcsw;
  return true;
}

} // namespace

void begin_preemption(const void* part) noexcept {
  t_part.part = part;
  t_part.entered = core::StdPlatform::ticks();
  t_part.has_usage = t_part.timed != 0 && read(t_part.usage);
  if (t_part.timed != 0) --t_part.timed;
}

std::uint64_t end_preemption(const void* part) noexcept {
  if (t_part.part != part) return 0;
  t_part.part = nullptr;
  const std::uint64_t ticks = core::elapsed(t_part.entered, core::StdPlatform::ticks());
  const std::uint64_t us = core::nanoseconds(ticks, tick_length()) / 1000;
  if (us < core::tuning::k_preemption_part_us) return 0;
  t_part.timed = core::tuning::k_preemption_parts;
  Usage after;
  if (!t_part.has_usage || !read(after)) return 0;
  if (after.slept != t_part.usage.slept || after.preempted == t_part.usage.preempted) return 0;
  const std::uint64_t ran = after.cpu_us - t_part.usage.cpu_us;
  return us > ran ? ticks_in((us - ran) * 1000) : 0;
}

} // namespace wstree::abi
