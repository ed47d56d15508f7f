// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WSTREE_OBSERVE_HOST_GUARD_H
#define WSTREE_OBSERVE_HOST_GUARD_H

#include <signal.h>

namespace wstree::observe {

/// While one of these lives on a thread's stack, the thread can do input and output without a trace in the
/// program it belongs to:
/// - errno is put back at the end;
/// - the calls are no cancellation points, because a cancelled thread would unwind through our noexcept
///   functions;
/// - writing to a pipe without reader or past the file size limit is an error code and no deadly signal
///   (SIGPIPE, SIGXFSZ). A signal that our own write raised is taken away again, one that was pending before
///   stays.
class HostGuard {
public:
  HostGuard() noexcept;
  ~HostGuard();
  HostGuard(const HostGuard&) = delete;
  HostGuard& operator=(const HostGuard&) = delete;

private:
  int errno_;
  int cancel_state_;
  sigset_t mask_;    // the thread's own signal mask
  sigset_t consume_; // write signals that were not pending at the start
};

} // namespace wstree::observe

#endif
