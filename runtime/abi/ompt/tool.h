// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The profiler that listens to the runtime, if there is one and the library is active: the events that it
// wants, and those of the loops that we serve.
#pragma once

#include "frame.h"
#include "options.h"

#include <cstdint>

namespace wstree::abi::ompt {

/// Around a call of the runtime that cannot be a jump: tools are told `caller` instead of our own code. On
/// the stack of the thread that calls.
class OpenCall {
public:
  explicit OpenCall(const void* caller) noexcept : caller_(caller), outer_(t_innermost) {
    t_innermost = this;
  }
  ~OpenCall() { t_innermost = outer_; }
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;

  /// Returns the calling thread's innermost call; nullptr: none.
  static const OpenCall* innermost() noexcept { return t_innermost; }
  const void* caller() const noexcept { return caller_; }

private:
  static constinit thread_local OpenCall* t_innermost __attribute__((tls_model("initial-exec")));

  const void* caller_;
  OpenCall* outer_;
};

/// The calling thread has entered a loop of ours, of `kind`, at `caller`: prepares `frame` for the next
/// functions, if a tool listens to loops.
void attend_loop(Frame& frame, config::LoopKind kind, const void* caller) noexcept;

/// Around each request for a chunk of an attended loop, from code at `caller`.
void before_request(Frame& frame, const void* caller) noexcept;
/// The thread got the chunk from `first` to `last`, both inclusive, in steps of `step`.
void tell_chunk(const Frame& frame, std::uint64_t first, std::uint64_t last, std::uint64_t step) noexcept;

/// The calling thread leaves a loop whose beginning was told.
void tell_end(const Frame& frame) noexcept;

} // namespace wstree::abi::ompt
