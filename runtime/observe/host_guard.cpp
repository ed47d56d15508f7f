// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_guard.h"

#include <cerrno>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "system_call.h"

namespace wstree::observe {
namespace {

using config::system_call;

constexpr SignalSet bit_of(int signal) noexcept { return SignalSet{1} << (signal - 1); }
constexpr SignalSet k_of_writes = bit_of(SIGPIPE) | bit_of(SIGXFSZ);

} // namespace

WriteGuard::WriteGuard() noexcept {
  SignalSet pending = 0;
  system_call(SYS_rt_sigpending, &pending, sizeof pending);
  consume_ = k_of_writes & ~pending;
  system_call(SYS_rt_sigprocmask, SIG_BLOCK, &k_of_writes, &mask_, sizeof mask_);
}

WriteGuard::~WriteGuard() {
  // Both signals are sent to the thread whose write failed, so a signal that is pending now and was not
  // before is ours.
  const timespec now{};
  long taken = 0;
  do taken = system_call(SYS_rt_sigtimedwait, &consume_, nullptr, &now, sizeof consume_);
  while (taken > 0 || taken == -EINTR);
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, &mask_, nullptr, sizeof mask_);
}

HostGuard::HostGuard() noexcept : errno_(errno), cancel_state_(PTHREAD_CANCEL_ENABLE) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state_);
}

HostGuard::~HostGuard() {
  pthread_setcancelstate(cancel_state_, nullptr);
  errno = errno_;
}

} // namespace wstree::observe
