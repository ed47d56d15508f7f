// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/load_time.h"

#include "wstree/core/platform.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace wstree::abi {
namespace {

constinit Moment g_load;

/// Looks at both clocks, the second one by `get(clock, &time)`, until nothing has come between the looks: a
/// thread that waits for a processor there would make ticks seem many times too long or too short. Where
/// calls are slow that never happens; the closest looks count then.
template <class Get> Moment moment_by(Get get) noexcept {
  constexpr int k_attempts = 20;
  const auto together = static_cast<std::uint64_t>(4 * core::StdPlatform::ticks_per_us());
  Moment found;
  std::uint64_t closest = ~std::uint64_t{0};
  for (int attempts = 0; attempts < k_attempts && closest > together; ++attempts) {
    timespec now{};
    const std::uint64_t before = core::StdPlatform::ticks();
    get(CLOCK_MONOTONIC, &now);
    const std::uint64_t apart = core::StdPlatform::ticks() - before;
    if (apart > closest) continue;
    closest = apart;
    found = {before + apart / 2, static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
                                     static_cast<std::uint64_t>(now.tv_nsec)};
  }
  return found;
}

} // namespace

const Moment& load_time() noexcept { return g_load; }

double ns_per_tick() noexcept {
  constexpr std::uint64_t k_enough_ns = 50'000;
  Moment now;
  do now = moment_by(clock_gettime);
  while (now.nanoseconds - g_load.nanoseconds < k_enough_ns);
  const std::uint64_t passed = now.ticks - g_load.ticks;
  return passed == 0
             ? 1.0
             : static_cast<double>(now.nanoseconds - g_load.nanoseconds) / static_cast<double>(passed);
}

void remember_load_time() noexcept {
  // Sanitizers replace clock_gettime() and are not ready yet.
  g_load = moment_by([](clockid_t clock, timespec* now) { syscall(SYS_clock_gettime, clock, now); });
}

} // namespace wstree::abi
