// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function with a stack of its own, which can stop in the middle and go on later. One thread runs all of
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#define WSTREE_FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WSTREE_FIBER_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define WSTREE_FIBER_TSAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define WSTREE_FIBER_TSAN 1
#endif

// The sanitizers have to be told of every change of stacks.
#if defined(WSTREE_FIBER_ASAN)
#include <sanitizer/common_interface_defs.h>
#elif defined(WSTREE_FIBER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace wstree::simulate {

class Fiber {
public:
  explicit Fiber(std::function<void()> body) : body_(std::move(body)), stack_(new std::byte[k_stack]) {
    getcontext(&inside_);
    inside_.uc_stack.ss_sp = stack_.get();
    inside_.uc_stack.ss_size = k_stack;
    inside_.uc_link = nullptr; // run() never lets its function return
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&inside_, reinterpret_cast<void (*)()>(&Fiber::run), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
#if defined(WSTREE_FIBER_TSAN)
    tsan_inside_ = __tsan_create_fiber(0);
#endif
  }
  ~Fiber() {
#if defined(WSTREE_FIBER_TSAN)
    __tsan_destroy_fiber(tsan_inside_);
#endif
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the function until it stops or ends. Not from inside of a fiber.
  void resume() {
#if defined(WSTREE_FIBER_ASAN)
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, stack_.get(), k_stack);
#elif defined(WSTREE_FIBER_TSAN)
    tsan_outside_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan_inside_, 0);
#endif
    swapcontext(&outside_, &inside_);
#if defined(WSTREE_FIBER_ASAN)
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
  }

  /// Called by the function: back to resume()'s caller.
  void stop() {
#if defined(WSTREE_FIBER_ASAN)
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, outside_stack_, outside_size_);
#elif defined(WSTREE_FIBER_TSAN)
    __tsan_switch_to_fiber(tsan_outside_, 0);
#endif
    swapcontext(&inside_, &outside_);
#if defined(WSTREE_FIBER_ASAN)
    __sanitizer_finish_switch_fiber(fake, &outside_stack_, &outside_size_);
#endif
  }

  bool ended() const { return ended_; }

private:
  static constexpr std::size_t k_stack = 256 * 1024; // pages that are not used cost nothing

  static void run(unsigned high, unsigned low) {
    auto* self = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low);
#if defined(WSTREE_FIBER_ASAN)
    __sanitizer_finish_switch_fiber(nullptr, &self->outside_stack_, &self->outside_size_);
#endif
    self->body_();
    self->ended_ = true;
    self->stop();
  }

  std::function<void()> body_;
  std::unique_ptr<std::byte[]> stack_;
  ucontext_t inside_{};
  ucontext_t outside_{};
  bool ended_ = false;
#if defined(WSTREE_FIBER_ASAN)
  const void* outside_stack_ = nullptr;
  std::size_t outside_size_ = 0;
#elif defined(WSTREE_FIBER_TSAN)
  void* tsan_inside_ = nullptr;
  void* tsan_outside_ = nullptr;
#endif
};

} // namespace wstree::simulate
