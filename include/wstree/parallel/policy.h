// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The execution of a call of the C++ library: the policy, an optional first argument of every algorithm.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/settings.h"

#include <atomic>
#include <concepts>
#include <cstdint>
#include <type_traits>

#if defined(__cpp_exceptions)
#include <exception>
#endif

namespace wstree {
namespace core {
template <class Platform> class ReductionWorker;
template <class Platform> struct StrategySearch;
struct Range;
} // namespace core

inline namespace v1 {

/// The place of a call in the source. As std::source_location, which clang 14 does not have.
struct call_site {
  const char* file = nullptr;
  std::uint32_t line = 0;

  static constexpr call_site current(const char* file = __builtin_FILE(),
                                     std::uint32_t line = __builtin_LINE()) noexcept {
    return {file, line};
  }
};

/// The order of evaluation may depend on these. Elements are always combined in their order.
enum class order : std::uint8_t {
  associative,  ///< anything: the operator is associative
  reproducible, ///< on the number of elements alone: floating-point results have the same bits everywhere
  sequential,   ///< nothing: elements are computed in parallel and folded from left to right
};

#if defined(__cpp_exceptions)
/// A call has been stopped by the token of its policy before everything was done.
class cancelled : public std::exception {
public:
  const char* what() const noexcept override { return "wstree: the call was stopped by its stop token"; }
};
#endif

/// The stop token of calls that have none.
struct never_stops {
  static constexpr bool stop_requested() noexcept { return false; }
};

namespace detail {
template <class P> class BasicCall;

/// The source of a call's members, if not an OpenMP team.
struct Place {
  /// For a call of the executing thread, with itself.
  std::uint32_t (*most_members)(const Place& place) noexcept;
  /// Executes the call; its members may come late, or not at all.
  void (*host)(const Place& place, BasicCall<core::StdPlatform>& call) noexcept;
};
} // namespace detail

/// The argument of stop(): a std::stop_token, or a type with the function of one.
template <class T>
concept stop_token_like = requires(const T& token) {
  { token.stop_requested() } -> std::convertible_to<bool>;
};

namespace detail {
/// Returns a count for a program's number of any type: 1 for a negative number, and the largest count for one
/// that is too large.
template <class To, class From> constexpr To count_of(From number) noexcept {
  if constexpr (std::integral<From>) {
    if constexpr (std::is_signed_v<From>)
      if (number < 0) return 1;
    if constexpr (sizeof(From) > sizeof(To))
      if (number > static_cast<From>(~To{0})) return ~To{0};
  }
  return static_cast<To>(number);
}
} // namespace detail

namespace detail {
/// The options of a policy, without its type.
class CallOptions {
public:
  /// Looks for work in the order of a strategy other than find_max.
  using Find = bool (*)(core::ReductionWorker<core::StdPlatform>& worker, core::Range& batch);

  constexpr const char* label() const noexcept { return label_; }
  constexpr call_site where() const noexcept { return where_; }
  constexpr std::uint32_t threads() const noexcept { return threads_; }
  /// nullptr: an OpenMP team.
  constexpr const Place* place() const noexcept { return place_; }
  constexpr std::uint64_t min_chunk() const noexcept { return min_chunk_; }
  constexpr std::uint64_t max_chunk() const noexcept { return max_chunk_; }
  constexpr core::Strategy strategy() const noexcept { return strategy_; }
  constexpr core::BatchMode batch() const noexcept { return batch_; }
  constexpr std::uint64_t limit() const noexcept { return limit_; }
  constexpr Find other_find() const noexcept { return other_find_; }
  constexpr bool has_counter() const noexcept { return counter_ != nullptr; }
  /// For the algorithms: so many elements more are done.
  void advance(std::uint64_t done) const noexcept {
    if (counter_ != nullptr) add_(counter_, done);
  }

protected:
  const char* label_ = nullptr;
  call_site where_;
  const Place* place_ = nullptr;
  void* counter_ = nullptr;
  void (*add_)(void*, std::uint64_t) = nullptr;
  std::uint64_t min_chunk_ = 1;
  std::uint64_t max_chunk_ = ~std::uint64_t{0};
  std::uint64_t limit_ = 4096;
  Find other_find_ = nullptr;
  std::uint32_t threads_ = 0;
  core::Strategy strategy_ = core::Strategy::find_max;
  core::BatchMode batch_ = core::BatchMode::timed;
};
} // namespace detail

/// The type of `wsrange` (wsrange.h).
struct wsrange_t {};

/// A value: every function returns a changed copy.
template <order Order = order::associative, stop_token_like Stop = never_stops>
class basic_par : public detail::CallOptions {
public:
  static constexpr order evaluation = Order;
  using stop_type = Stop;
  using CallOptions::label, CallOptions::threads, CallOptions::min_chunk, CallOptions::max_chunk;

  constexpr basic_par() noexcept = default;
  constexpr explicit basic_par(const char* name) noexcept { label_ = name; }

  /// Sets the name of the loop in reports. The policy keeps the pointer: the text outlives every call with
  /// this policy or a copy of it. Without a name, reports have the file and line of the call.
  constexpr basic_par label(const char* name) const noexcept {
    basic_par copy = *this;
    copy.label_ = name;
    return copy;
  }
  constexpr basic_par operator()(const char* name) const noexcept { return label(name); }
  /// Sets the largest number of threads; 0: as many as a parallel region would have. A negative number is 1.
  template <class Number> constexpr basic_par threads(Number most) const noexcept {
    static_assert(std::convertible_to<Number, std::uint32_t>, "wstree: threads() takes a number of threads");
    basic_par copy = *this;
    if constexpr (std::convertible_to<Number, std::uint32_t>)
      copy.threads_ = detail::count_of<std::uint32_t>(most);
    return copy;
  }
  /// Takes the members from the threads of the pool (wstree/types/thread_pool.h) and the caller, and not an
  /// OpenMP team. The pool outlives the call. Calls within this one need the option of their own.
  template <class Pool> constexpr basic_par on(Pool&& pool) const noexcept {
    constexpr bool k_is_pool = std::is_lvalue_reference_v<Pool> && requires { &pool.place(); };
    static_assert(k_is_pool, "wstree: on() takes a thread_pool that outlives the call, or resident_crew");
    basic_par copy = *this;
    if constexpr (k_is_pool) copy.place_ = &pool.place();
    return copy;
  }
  /// Set the elements that a thread takes at a time, if there are as many: at least, and at most. If
  /// min_chunk is more than max_chunk, max_chunk counts. A negative number is 1.
  template <class Number> constexpr basic_par min_chunk(Number elements) const noexcept {
    basic_par copy = *this;
    copy.min_chunk_ = chunk_of(elements);
    return copy;
  }
  template <class Number> constexpr basic_par max_chunk(Number elements) const noexcept {
    basic_par copy = *this;
    copy.max_chunk_ = chunk_of(elements);
    return copy;
  }
  /// Sets the order of the tree's search and the sizes of batches; the default suits nearly everything.
  /// `limit`: the elements of each batch if `batch` is fixed, of the largest batch if it is exponential or
  /// random; no effect if it is timed. With `reproducible`, and in sum() and inner_product(), it counts
  /// blocks of 2,048 elements. Algorithms that share out tiles (scans, filters, searches) do not use these.
  template <class Platform = core::StdPlatform>
  constexpr basic_par schedule(core::Strategy strategy, core::BatchMode batch = core::BatchMode::timed,
                               std::uint64_t limit = 4096) const noexcept {
    basic_par copy = *this;
    copy.other_find_ = &core::StrategySearch<Platform>::find; // compiled by callers of this function only
    copy.strategy_ = strategy;
    copy.batch_ = batch;
    copy.limit_ = limit;
    return copy;
  }
  /// Has no effect: wsrange.h.
  constexpr basic_par schedule(wsrange_t) const noexcept { return *this; }
  /// After token.stop_requested() no new batch starts, batches that run end, and the call throws `cancelled`
  /// unless everything was done. std::stop_token, or anything like it.
  template <stop_token_like Token> constexpr basic_par<Order, Token> stop(Token token) const {
    return basic_par<Order, Token>(*this, static_cast<Token&&>(token));
  }
  template <class Other> basic_par stop(Other) const {
    static_assert(stop_token_like<Other>,
                  "wstree: stop() takes a std::stop_token, or what has stop_requested()");
    return *this;
  }
  /// Lets members add the number of elements that are done, batch by batch, to `counter`, which outlives
  /// the call.
  template <class Number> constexpr basic_par progress(std::atomic<Number>& counter) const noexcept {
    basic_par copy = *this;
    copy.counter_ = &counter;
    copy.add_ = [](void* to, std::uint64_t done) {
      // relaxed: a number to show.
      static_cast<std::atomic<Number>*>(to)->fetch_add(static_cast<Number>(done), std::memory_order_relaxed);
    };
    return copy;
  }
  template <class Other> basic_par progress(const Other&) const noexcept {
    static_assert(std::is_void_v<Other>,
                  "wstree: progress() takes a std::atomic number that outlives the call");
    return *this;
  }

  /// For the algorithms: the call stands at `site`.
  constexpr basic_par at(call_site site) const noexcept {
    basic_par copy = *this;
    copy.where_ = site;
    return copy;
  }

  bool stop_requested() const { return stop_.stop_requested(); }
  /// Returns whether the call can neither be stopped nor counts its elements.
  constexpr bool is_plain() const noexcept { return std::is_same_v<Stop, never_stops> && !has_counter(); }

private:
  template <order, stop_token_like> friend class basic_par;
  constexpr basic_par(const CallOptions& options, Stop&& token)
      : CallOptions(options), stop_(static_cast<Stop&&>(token)) {}

  template <class Number> static constexpr std::uint64_t chunk_of(Number elements) noexcept {
    static_assert(std::convertible_to<Number, std::uint64_t>,
                  "wstree: min_chunk() and max_chunk() take a number of elements");
    if constexpr (std::convertible_to<Number, std::uint64_t>) {
      const auto count = detail::count_of<std::uint64_t>(elements);
      return count != 0 ? count : 1;
    } else {
      return 1;
    }
  }

  [[no_unique_address]] Stop stop_{};
};

/// `par("label").threads(4)`: elements are combined in order, by an associative operator.
using par = basic_par<>;
/// Policies whose results do not depend on how the elements were shared out.
inline constexpr basic_par<order::reproducible> reproducible;
inline constexpr basic_par<order::sequential> sequential_order;

namespace detail {
/// The policy of calls without one: a constant, because a value of its own is some ten stores in each call.
inline constexpr par k_usual_policy{};

template <class T> inline constexpr bool is_policy = false;
template <order Order, class Stop> inline constexpr bool is_policy<basic_par<Order, Stop>> = true;
} // namespace detail

/// A first argument: it sets the execution, and not the elements.
template <class T>
concept execution_policy = detail::is_policy<std::remove_cvref_t<T>>;

} // namespace v1
} // namespace wstree
