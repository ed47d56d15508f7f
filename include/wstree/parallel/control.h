// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of one call, shared by its members: failed, and where, or stopped.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/parallel/policy.h"

#include <atomic>
#include <cstdint>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Keeps the exception at the lowest index of those that members throw; it reaches the caller. The other
/// exceptions are dropped, and no new batch starts.
class Control {
public:
  Control() = default;
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  /// Returns whether the batch that the caller has taken may start; false once the call has ended early, and
  /// then the batch is left undone.
  template <execution_policy Policy> bool goes_on(const Policy& policy) noexcept {
    // relaxed: a member that ends the call writes nothing that other members have to see before they
    // leave it.
    if (ended_.load(std::memory_order_relaxed)) [[unlikely]]
      return false;
    if (!policy.stop_requested()) return true;
    stop();
    return false;
  }
  bool has_ended() const noexcept { return ended_.load(std::memory_order_relaxed); } // likewise

  /// Notes that work remains undone because of the policy's token.
  void stop() noexcept { ended_.store(true, std::memory_order_relaxed); } // likewise

  /// Calls `function()`. Returns false if it has thrown, at `index`; nothing leaves. `ends`: no other batch
  /// starts then.
  template <class Function>
  bool guard(std::uint64_t index, Function&& function, [[maybe_unused]] bool ends = true) noexcept {
#if defined(__cpp_exceptions)
    try {
      function();
      return true;
    } catch (...) {
      fail(index, ends);
      return false;
    }
#else
    static_cast<void>(index);
    function();
    return true;
#endif
  }

  /// The result of the call; may outlive the call.
  class End {
  public:
    /// Throws the exception of a member, or `cancelled`. Without exceptions it returns: finished work stays.
    [[gnu::cold]] void raise() const {
#if defined(__cpp_exceptions)
      if (failure_ != nullptr) std::rethrow_exception(failure_);
      if (ended_) throw cancelled();
#endif
    }

  private:
    friend class Control;
#if defined(__cpp_exceptions)
    std::exception_ptr failure_;
    bool ended_ = false;
#endif
  };
  /// Returns the result of the call, when all members have left.
  End end() const noexcept {
    End end;
#if defined(__cpp_exceptions)
    end.failure_ = failure_;
    end.ended_ = has_ended();
#endif
    return end;
  }
  void finish() const {
    if (has_ended() || has_failed()) [[unlikely]]
      end().raise();
  }

private:
  /// Returns whether the call has failed, when all members have left.
  bool has_failed() const noexcept {
#if defined(__cpp_exceptions)
    return failure_ != nullptr;
#else
    return false;
#endif
  }

#if defined(__cpp_exceptions)
  /// In a handler.
  [[gnu::cold]] void fail(std::uint64_t index, bool ends) noexcept {
    // acquire and release: a lock around the two members below. Few ever come here.
    while (is_locked_.exchange(true, std::memory_order_acquire)) core::StdPlatform::yield();
    if (failure_ == nullptr || index < lowest_) {
      failure_ = std::current_exception();
      lowest_ = index;
    }
    is_locked_.store(false, std::memory_order_release);
    if (ends) stop();
  }

  std::exception_ptr failure_;
  std::uint64_t lowest_ = 0; // index of failure_
  std::atomic<bool> is_locked_{false};
#endif
  std::atomic<bool> ended_{false};
};

} // namespace detail
} // namespace v1
} // namespace wstree
