// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function with a stack of its own, which can stop in the middle and go on later. One thread runs all of
// these fibers.
#pragma once

#include <boost/context/fiber.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

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

// Every change of stacks has to be announced to the sanitizers.
#if defined(WSTREE_FIBER_ASAN)
#include <sanitizer/common_interface_defs.h>
#elif defined(WSTREE_FIBER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace wstree::simulate {

/// Its function has to end before it is destroyed; otherwise the objects on its stack are lost.
class Fiber {
public:
  explicit Fiber(std::function<void()> body) : body_(std::move(body)), stack_(new std::byte[k_stack]) {
    const boost::context::stack_context stack = where();
    inside_ = boost::context::fiber(
        std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), Borrowed{},
        [this](boost::context::fiber&& outside) { return run(std::move(outside)); });
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
    // Both switches are here, so that each function begins and ends as the same fiber, whichever functions
    // are inlined.
    void* const outside = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan_inside_, 0);
#endif
    inside_ = std::move(inside_).resume();
#if defined(WSTREE_FIBER_ASAN)
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#elif defined(WSTREE_FIBER_TSAN)
    __tsan_switch_to_fiber(outside, 0);
#endif
  }

  /// Switches back to resume()'s caller; called by the fiber's function.
  void stop() {
    leave();
    outside_ = std::move(outside_).resume();
#if defined(WSTREE_FIBER_ASAN)
    __sanitizer_finish_switch_fiber(fake_, &outside_stack_, &outside_size_);
#endif
  }

  bool ended() const { return ended_; }

private:
  static constexpr std::size_t k_stack = 256 * 1024; // pages that are not used cost nothing

  /// The stack is the Fiber's own.
  struct Borrowed {
    void deallocate(boost::context::stack_context&) const noexcept {}
  };
  boost::context::stack_context where() const {
    boost::context::stack_context stack;
    stack.size = k_stack;
    stack.sp = stack_.get() + k_stack;
    return stack;
  }

  boost::context::fiber run(boost::context::fiber&& outside) {
    outside_ = std::move(outside);
#if defined(WSTREE_FIBER_ASAN)
    __sanitizer_finish_switch_fiber(nullptr, &outside_stack_, &outside_size_);
#endif
    body_();
    ended_ = true;
    leave();
    return std::move(outside_);
  }
  void leave() {
#if defined(WSTREE_FIBER_ASAN)
    // A fiber that has ended gives its shadow stack back.
    __sanitizer_start_switch_fiber(ended_ ? nullptr : &fake_, outside_stack_, outside_size_);
#endif
  }

  std::function<void()> body_;
  std::unique_ptr<std::byte[]> stack_;
  boost::context::fiber inside_;
  boost::context::fiber outside_;
  bool ended_ = false;
#if defined(WSTREE_FIBER_ASAN)
  void* fake_ = nullptr;
  const void* outside_stack_ = nullptr;
  std::size_t outside_size_ = 0;
#elif defined(WSTREE_FIBER_TSAN)
  void* tsan_inside_ = nullptr;
#endif
};

} // namespace wstree::simulate
