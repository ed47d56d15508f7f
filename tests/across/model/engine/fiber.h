// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function with a stack of its own that is started again and again, mostly without having ended.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <ucontext.h>

#if defined(_FORTIFY_SOURCE) && _FORTIFY_SOURCE > 0
#error "its longjmp() refuses to leave one stack for another: -U_FORTIFY_SOURCE"
#endif

namespace wstree::model {

/// The simulator's fibers save the signal mask at every switch, which takes as long as several operations of
/// the model; and here the stacks of millions of executions are the same few.
/// Only the start goes through ucontext.
class Fiber {
public:
  Fiber() : stack_(new std::byte[k_stack]) { getcontext(&start_); }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// The next resume() begins `body`. What ran here before is forgotten, wherever it was.
  void start(std::function<void()> body) {
    body_ = std::move(body);
    start_.uc_stack.ss_sp = stack_.get();
    start_.uc_stack.ss_size = k_stack;
    start_.uc_link = nullptr; // run() does not return
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&start_, reinterpret_cast<void (*)()>(&Fiber::run), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
    begun_ = false;
  }
  /// Runs it until it stops. Not from inside of a fiber.
  void resume() {
    if (_setjmp(outside_) != 0) return;
    if (begun_) _longjmp(inside_, 1);
    begun_ = true;
    setcontext(&start_);
  }
  /// Called by the body: back to resume()'s caller.
  void stop() {
    if (_setjmp(inside_) == 0) _longjmp(outside_, 1);
  }

private:
  static constexpr std::size_t k_stack = 256 * 1024;

  static void run(unsigned high, unsigned low) {
    auto* const self = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low);
    self->body_();
    self->stop(); // the fiber is not resumed
  }

  std::function<void()> body_;
  std::unique_ptr<std::byte[]> stack_;
  ucontext_t start_{};
  std::jmp_buf outside_{};
  std::jmp_buf inside_{};
  bool begun_ = false;
};

} // namespace wstree::model
