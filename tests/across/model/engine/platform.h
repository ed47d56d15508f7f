// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The platform that runs the production templates under the model checker.
#pragma once

#include "execution.h"

#include "wstree/core/platform.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

namespace wstree::model {

/// As std::atomic<T>, for what the core uses. Zeroed memory is a valid one.
template <class T> class Atomic : Spot {
  static_assert(sizeof(T) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<T>);

public:
  using value_type = T;
  Atomic() noexcept : Spot(to_raw(T{})) {}
  explicit(false) Atomic(T value) noexcept : Spot(to_raw(value)) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const noexcept {
    if (Execution::now == nullptr) return from_raw(initial);
    return from_raw(Execution::now->load(const_cast<Atomic&>(*this), order));
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    if (Execution::now == nullptr) {
      initial = to_raw(value);
      return;
    }
    Execution::now->store(*this, to_raw(value), order);
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update<Take>(value, order, "exchange");
  }
  T fetch_add(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update<std::plus<T>>(value, order, "fetch_add");
  }
  T fetch_sub(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update<std::minus<T>>(value, order, "fetch_sub");
  }
  T fetch_or(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update<std::bit_or<T>>(value, order, "fetch_or");
  }
  T fetch_and(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update<std::bit_and<T>>(value, order, "fetch_and");
  }
  bool compare_exchange_strong(T& expected, T wanted, std::memory_order success,
                               std::memory_order failure) noexcept {
    return compare_exchange(expected, wanted, success, failure, false);
  }
  bool compare_exchange_weak(T& expected, T wanted, std::memory_order success,
                             std::memory_order failure) noexcept {
    return compare_exchange(expected, wanted, success, failure, true);
  }

private:
  struct Take {
    T operator()(T, T value) const { return value; }
  };

  bool compare_exchange(T& expected, T wanted, std::memory_order success, std::memory_order failure,
                        bool is_weak) noexcept {
    std::uint64_t raw = to_raw(expected);
    bool exchanged = false;
    if (Execution::now != nullptr) {
      exchanged = Execution::now->compare_exchange(*this, raw, to_raw(wanted), success, failure, is_weak);
    } else {
      exchanged = raw == initial;
      (exchanged ? initial : raw) = exchanged ? to_raw(wanted) : initial;
    }
    if (!exchanged) expected = from_raw(raw);
    return exchanged;
  }
  template <class Function> T update(T operand, std::memory_order order, const char* what) noexcept {
    const auto change = [](std::uint64_t old, std::uint64_t with) {
      return to_raw(static_cast<T>(Function()(from_raw(old), from_raw(with))));
    };
    if (Execution::now != nullptr)
      return from_raw(Execution::now->update(*this, order, change, to_raw(operand), what));
    const T old = from_raw(initial);
    initial = change(initial, to_raw(operand));
    return old;
  }

  static std::uint64_t to_raw(T value) noexcept {
    std::uint64_t raw = 0;
    std::memcpy(&raw, &value, sizeof value);
    return raw;
  }
  static T from_raw(std::uint64_t raw) noexcept {
    T value;
    std::memcpy(&value, &raw, sizeof value);
    return value;
  }
};

/// Plain data that several threads use. An access that another does not happen before is a failure; found by
/// vector clocks, so it does not matter in which order this execution had them. And so is reading what was
/// written for another use of the memory (Execution::works_for()). Zeroed memory is a valid one.
template <class T> class Cell {
public:
  Cell() = default;
  explicit(false) Cell(T value) : value_(value) {}
  Cell(const Cell& other) : value_(other.value_) {} // the accesses are not copied
  Cell& operator=(const Cell& other) {
    value_ = other.value_;
    return *this;
  }
  ~Cell() = default;

  T read() const {
    if (is_checked()) Execution::now->check_read(index_, generation_);
    return value_;
  }
  void write(T value) {
    if (is_checked()) Execution::now->check_write(index_, generation_);
    value_ = value;
  }
  explicit(false) operator T() const { return read(); }
  Cell& operator=(T value) {
    write(value);
    return *this;
  }

private:
  static bool is_checked() { return Execution::now != nullptr && !Execution::now->is_quiet(); }

  T value_{};
  mutable std::uint32_t index_ = 0;
  mutable std::uint32_t generation_ = 0; // of `index_`
};

struct ModelPlatform {
  template <class T> using Atomic = model::Atomic<T>;
  template <class T> using Plain = Cell<T>;

  static std::memory_order order(core::Tag tag, std::memory_order needed) noexcept {
    return Execution::now != nullptr ? Execution::now->order(tag, needed) : needed;
  }
  /// The core has no fences. A protocol that has some tells this platform of them, and
  /// std::atomic_thread_fence of them in production.
  static void fence(core::Tag tag, std::memory_order needed) noexcept {
    if (Execution::now != nullptr) Execution::now->fence(order(tag, needed));
  }
  static std::uint64_t ticks() noexcept { return Execution::now->ticks(); }
  /// One look at the clock is a microsecond.
  static std::uint64_t ticks_per_ms() noexcept { return 100'000; }
  static void relax() noexcept { Execution::now->wait(); }
  static void yield() noexcept { Execution::now->wait(); }
  static void* allocate(std::size_t bytes) noexcept { return Execution::now->allocate(bytes); }
  static void release(void*, std::size_t) noexcept {} // the next execution starts with an empty heap
};

} // namespace wstree::model
