// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library to be preloaded in front of the other one: its first look at the clock comes back late, as if the
// thread had then waited for a processor.
#include <atomic>
#include <cstdarg>

#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>

extern "C" long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long given[6];
  for (long& each : given) each = va_arg(list, long);
  va_end(list);
  static std::atomic<bool> was_late{false};
  auto* const next = reinterpret_cast<long (*)(long, ...)>(dlsym(RTLD_NEXT, "syscall"));
  const long result = next(number, given[0], given[1], given[2], given[3], given[4], given[5]);
  if (number == SYS_clock_gettime && !was_late.exchange(true)) {
    const timespec late{0, 500'000'000};
    nanosleep(&late, nullptr);
  }
  return result;
}
