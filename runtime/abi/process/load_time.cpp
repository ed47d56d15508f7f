// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/load_time.h"

#include "system_call.h"

#include "wstree/core/platform.h"

#include <sys/syscall.h>

namespace wstree::abi {
namespace {

constinit Moment g_load;

template <class Get> Moment moment_now(Get get) noexcept {
  const auto together = static_cast<std::uint64_t>(4 * core::StdPlatform::ticks_per_us());
  return moment_by(together, core::StdPlatform::ticks, get);
}

} // namespace

const Moment& load_time() noexcept { return g_load; }

double ns_per_tick() noexcept {
  constexpr std::uint64_t k_enough_ns = 50'000;
  Moment now;
  do now = moment_now(clock_gettime);
  while (now.nanoseconds - g_load.nanoseconds < k_enough_ns);
  const std::uint64_t passed = now.ticks - g_load.ticks;
  return passed == 0
             ? 1.0
             : static_cast<double>(now.nanoseconds - g_load.nanoseconds) / static_cast<double>(passed);
}

void remember_load_time() noexcept {
  g_load =
      moment_now([](clockid_t clock, timespec* now) { config::system_call(SYS_clock_gettime, clock, now); });
}

} // namespace wstree::abi
