// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/load_time.h"

#include "system_call.h"

#include "wstree/core/platform.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>

namespace wstree::abi {
namespace {

constinit Moment g_load;

template <class Get> Moment moment_now(Get get) noexcept {
  return moment_by(4 * core::StdPlatform::ticks_per_ms() / 1000, core::StdPlatform::ticks, get);
}

/// Returns the time since load time on both clocks: long enough to compare them.
Moment passed() noexcept {
  constexpr std::uint64_t k_enough_ns = 50'000;
  Moment now;
  do now = moment_now(clock_gettime);
  while (now.nanoseconds - g_load.nanoseconds < k_enough_ns);
  return {now.ticks - g_load.ticks, now.nanoseconds - g_load.nanoseconds};
}

} // namespace

bool may_read_ticks() noexcept {
  int how = PR_TSC_ENABLE;
  return config::system_call(SYS_prctl, PR_GET_TSC, &how) < 0 || how == PR_TSC_ENABLE;
}

const Moment& load_time() noexcept { return g_load; }

double ns_per_tick() noexcept {
  const Moment span = passed();
  return span.ticks == 0 ? 1.0 : static_cast<double>(span.nanoseconds) / static_cast<double>(span.ticks);
}

std::uint64_t ticks_in(std::uint32_t nanoseconds) noexcept {
  Moment span = passed();
  // The product has to fit into a word.
  for (; span.ticks >> 32 != 0; span.ticks >>= 1) span.nanoseconds >>= 1;
  return span.ticks * nanoseconds / std::max<std::uint64_t>(span.nanoseconds, 1);
}

void remember_load_time() noexcept {
  g_load =
      moment_now([](clockid_t clock, timespec* now) { config::system_call(SYS_clock_gettime, clock, now); });
}

} // namespace wstree::abi
