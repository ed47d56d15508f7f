// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The atomic variable of platforms on which one member acts at a time.
#pragma once

#include <atomic>
#include <utility>

namespace wstree::simulate {

/// Before each operation takes effect, `Platform` charges its cost: charge_load(address),
/// charge_store(address, order) or, for an operation that reads and writes at once, charge_change(address).
/// Other members may go on meanwhile.
template <class T, class Platform> class ChargedAtomic {
public:
  ChargedAtomic() = default;
  explicit(false) ChargedAtomic(T value) : value_(value) {}

  T load(std::memory_order = std::memory_order_seq_cst) const noexcept {
    Platform::charge_load(this);
    return value_;
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
    Platform::charge_store(this, order);
    value_ = value;
  }
  T exchange(T value, std::memory_order = std::memory_order_seq_cst) noexcept {
    Platform::charge_change(this);
    return std::exchange(value_, value);
  }
  bool compare_exchange_strong(T& expected, T wanted, std::memory_order = std::memory_order_seq_cst,
                               std::memory_order = std::memory_order_seq_cst) noexcept {
    Platform::charge_change(this);
    if (value_ != expected) {
      expected = value_;
      return false;
    }
    value_ = wanted;
    return true;
  }
  bool compare_exchange_weak(T& expected, T wanted, std::memory_order a = std::memory_order_seq_cst,
                             std::memory_order b = std::memory_order_seq_cst) noexcept {
    return compare_exchange_strong(expected, wanted, a, b);
  }
  T fetch_add(T difference, std::memory_order = std::memory_order_seq_cst) noexcept {
    Platform::charge_change(this);
    return std::exchange(value_, static_cast<T>(value_ + difference));
  }
  T fetch_sub(T difference, std::memory_order = std::memory_order_seq_cst) noexcept {
    Platform::charge_change(this);
    return std::exchange(value_, static_cast<T>(value_ - difference));
  }
  T fetch_or(T bits, std::memory_order = std::memory_order_seq_cst) noexcept {
    Platform::charge_change(this);
    return std::exchange(value_, static_cast<T>(value_ | bits));
  }
  T fetch_and(T bits, std::memory_order = std::memory_order_seq_cst) noexcept {
    Platform::charge_change(this);
    return std::exchange(value_, static_cast<T>(value_ & bits));
  }

private:
  T value_{};
};

} // namespace wstree::simulate
