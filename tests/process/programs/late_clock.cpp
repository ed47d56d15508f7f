// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library to be preloaded in front of the other one: in its first look at the clock the thread waits before
// and behind it, as if others had its processor.
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
  const bool is_late = number == SYS_clock_gettime && !was_late.exchange(true);
  // One wait is longer than the other: if both were as long, the time in the middle would be the right one.
  const timespec long_wait{1, 500'000'000}, short_wait{0, 50'000'000};
  if (is_late) nanosleep(&long_wait, nullptr);
  auto* const next = reinterpret_cast<long (*)(long, ...)>(dlsym(RTLD_NEXT, "syscall"));
  const long result = next(number, given[0], given[1], given[2], given[3], given[4], given[5]);
  if (is_late) nanosleep(&short_wait, nullptr);
  return result;
}
