// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of system calls (seccomp) that the program puts up: a call that it does not make itself may end it
// from then on. The kernel answers whether calls are filtered. Whether a filter has come since the process
// began, as in a container, stands only in a file, which may not be opened then. So this library stands in
// front of the two functions by which programs and libseccomp put filters up (place/README.md).
//
// syscall() is assembler code (syscall_<architecture>.S), which hands on by a jump: a program may make
// processes by it, and where it passes no argument, a variable of its own stands, which others may write.
#include "export.h"
#include "process_limits.h"
#include "resolve/libc.h"

#include <atomic>
#include <cerrno>
#include <linux/seccomp.h>
#include <sys/syscall.h>

namespace wstree::abi {

// The address at which the assembler code goes on; nullptr: not known yet. relaxed: it leads to code only.
extern std::atomic<void*> g_next_syscall __asm__("wstree_next_syscall");
constinit std::atomic<void*> g_next_syscall{nullptr};

namespace {

constexpr long k_set_filter = 22; // PR_SET_SECCOMP of <sys/prctl.h>, which declares prctl()

constinit Definition g_syscall{"syscall"};
constinit LibcFunction<int(int, long, long, long, long)> g_prctl{"prctl"};
constexpr Definition* k_all[] = {&g_syscall, &g_prctl};

long refuse() noexcept {
  errno = ENOSYS;
  return -1;
}

void* find_next_syscall() noexcept {
  find_next_definitions(k_all);
  void* found = g_syscall.address.load(std::memory_order_relaxed);
  if (found == nullptr) found = reinterpret_cast<void*>(&refuse);
  g_next_syscall.store(found, std::memory_order_relaxed);
  return found;
}

[[gnu::constructor]] void load() noexcept { find_next_syscall(); }

/// Returns whether the call puts a filter up. Without a program for the filter, it only tests the
/// kernel's abilities.
bool puts_filter_up(long option, long mode, long program) noexcept {
  return option == k_set_filter && (mode == SECCOMP_MODE_STRICT || program != 0);
}
bool puts_filter_up_by_seccomp(long operation, long program) noexcept {
  return operation == SECCOMP_SET_MODE_STRICT || (operation == SECCOMP_SET_MODE_FILTER && program != 0);
}

} // namespace
} // namespace wstree::abi

using namespace wstree;
using namespace wstree::abi;

extern "C" {

/// Takes part before a call of syscall() that may put a filter up, and before the first call. Returns the
/// function at which the call goes on.
void* wstree_before_syscall(int number, long a, long b, long c) noexcept {
  if ((number == SYS_seccomp && puts_filter_up_by_seccomp(a, c)) ||
      (number == SYS_prctl && puts_filter_up(a, b, c)))
    place::note_new_call_filter();
  void* const next = g_next_syscall.load(std::memory_order_relaxed);
  return next != nullptr ? next : find_next_syscall();
}

// The C library declares it with a variable number of arguments.
WSTREE_EXPORT int wstree_prctl(int option, long a, long b, long c, long d) __asm__("prctl");
int wstree_prctl(int option, long a, long b, long c, long d) {
  if (puts_filter_up(option, a, b)) [[unlikely]]
    place::note_new_call_filter();
  return g_prctl(-1, option, a, b, c, d);
}
}
