// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace wstree::observe {

using SignalSet = std::uint64_t; // a signal set of the kernel: bit n - 1 is signal n

/// While one of these lives on a thread's stack, writing to a pipe without reader or past the file size limit
/// is an error code and no deadly signal (SIGPIPE, SIGXFSZ). A signal that our own write raised is taken away
/// again, one that was pending before stays. Calls the kernel only, so that it may be used while the library
/// is loaded.
class WriteGuard {
public:
  WriteGuard() noexcept;
  ~WriteGuard();
  WriteGuard(const WriteGuard&) = delete;
  WriteGuard& operator=(const WriteGuard&) = delete;

private:
  SignalSet mask_ = 0; // the thread's own signal mask
  SignalSet consume_;  // write signals that were not pending at the start
};

/// Guards all input and output by the C library, so that it leaves no trace in the program:
/// - errno is put back at the end;
/// - the calls are no cancellation points, because a cancelled thread would unwind through our
///   noexcept functions.
class HostGuard {
public:
  HostGuard() noexcept;
  ~HostGuard();
  HostGuard(const HostGuard&) = delete;
  HostGuard& operator=(const HostGuard&) = delete;

private:
  int errno_;
  int cancel_state_;
  WriteGuard writes_;
};

} // namespace wstree::observe
