// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_guard.h"

#include <cerrno>
#include <ctime>
#include <initializer_list>
#include <pthread.h>

namespace wstree::observe {

HostGuard::HostGuard() noexcept : errno_(errno), cancel_state_(PTHREAD_CANCEL_ENABLE) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state_);
  sigset_t pending;
  sigset_t block;
  sigemptyset(&pending);
  sigpending(&pending);
  sigemptyset(&block);
  sigemptyset(&consume_);
  for (const int signal : {SIGPIPE, SIGXFSZ}) {
    sigaddset(&block, signal);
    if (sigismember(&pending, signal) == 0) sigaddset(&consume_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &block, &mask_);
}

HostGuard::~HostGuard() {
  // Both signals are sent to the thread whose write failed, so what is pending now and was not before is
  // ours.
  const timespec now{};
  while (sigtimedwait(&consume_, nullptr, &now) > 0 || errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  pthread_setcancelstate(cancel_state_, nullptr);
  errno = errno_;
}

} // namespace wstree::observe
