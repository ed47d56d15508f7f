// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that a submitted task and its future share.
#pragma once

#include "wstree/types/detail/crew.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// A value as an object.
template <class R> struct Held { using Type = R; };
template <> struct Held<void> {
  struct Type {};
};
template <class R> struct Held<R&> { using Type = std::reference_wrapper<R>; };

template <class R> class FutureState : public Task {
public:
  void wait() noexcept {
    waiter_ = crew_.me(); // seen by the thread that sees the sleeper
    crew_.wait_for(count_);
  }
  bool is_ready() const noexcept { return count_.is_done(); }
  /// Returns the value or throws the exception. Called once, when is_ready().
  R get() {
    failure_.raise();
    if constexpr (std::is_reference_v<R>)
      return value_->get();
    else if constexpr (!std::is_void_v<R>)
      return std::move(*value_);
  }
  /// The task and the future each call this once, after their last access.
  void drop() noexcept {
    // acq_rel: the second user destroys the state after the first one's accesses.
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy_(this);
  }

protected:
  FutureState(Crew& crew, void (*execute)(Task*) noexcept, void (*destroy)(FutureState*) noexcept) noexcept
      : Task{execute}, crew_(crew), destroy_(destroy) {
    count_.add();
  }
  ~FutureState() = default;

  template <class Function> void fulfil(std::optional<Function>& function) noexcept {
    failure_.guard([&] {
      if constexpr (std::is_void_v<R>) {
        std::invoke(*function);
        value_.emplace();
      } else {
        value_.emplace(std::invoke(*function));
      }
    });
    function.reset();
    const Sleeper sleeper = count_.finish();
    crew_.wake(sleeper, sleeper == Sleeper::member ? waiter_ : nullptr);
    drop();
  }

private:
  Crew& crew_;
  CrewMember* waiter_ = nullptr;
  void (*destroy_)(FutureState*) noexcept;
  std::atomic<std::uint32_t> users_{2};
  TaskCount<PoolPlatform> count_;
  Failure failure_;
  std::optional<typename Held<R>::Type> value_;
};

template <class R, class Function> class FutureTask final : public FutureState<R> {
public:
  template <class F>
  FutureTask(Crew& crew, F&& function)
      : FutureState<R>(crew, &run_this, &destroy_this), function_(static_cast<F&&>(function)) {}

private:
  static void run_this(Task* task) noexcept {
    auto* const self = static_cast<FutureTask*>(task);
    self->fulfil(self->function_);
  }
  static void destroy_this(FutureState<R>* state) noexcept { delete static_cast<FutureTask*>(state); }

  std::optional<Function> function_;
};

} // namespace detail
} // namespace v1
} // namespace wstree
