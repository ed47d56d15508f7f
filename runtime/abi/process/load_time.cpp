// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/load_time.h"

#include "system_call.h"

#include "wstree/core/cost.h"
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

} // namespace

bool may_read_ticks() noexcept {
  int how = PR_TSC_ENABLE;
  return config::system_call(SYS_prctl, PR_GET_TSC, &how) < 0 || how == PR_TSC_ENABLE;
}

const Moment& load_time() noexcept { return g_load; }

Moment since_load() noexcept {
  constexpr std::uint64_t k_enough_ns = 50'000;
  Moment now;
  do now = moment_now(clock_gettime);
  while (now.nanoseconds - g_load.nanoseconds < k_enough_ns);
  return {std::max<std::uint64_t>(now.ticks - g_load.ticks, 1), now.nanoseconds - g_load.nanoseconds};
}

std::uint64_t ticks_in(std::uint64_t nanoseconds) noexcept {
  const Moment span = since_load();
  return core::scaled(nanoseconds, span.ticks, span.nanoseconds);
}

core::TickLength tick_length() noexcept {
  const Moment span = since_load();
  return core::tick_of(span.nanoseconds, span.ticks);
}

void remember_load_time() noexcept {
  g_load =
      moment_now([](clockid_t clock, timespec* now) { config::system_call(SYS_clock_gettime, clock, now); });
}

} // namespace wstree::abi
