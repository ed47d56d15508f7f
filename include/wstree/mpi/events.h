// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The event that ends a loop early on this rank: the first exception or hit in the order of the loop.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

class Events {
public:
  static constexpr std::uint64_t k_none = ~std::uint64_t{0};

  /// An element has thrown, or is a hit (nullptr). By any member.
  void note(std::uint64_t element, std::exception_ptr thrown) {
    const std::lock_guard lock(mutex_);
    if (thrown == nullptr) {
      hit_ = std::min(hit_, element);
    } else if (element < thrower_) {
      thrower_ = element;
      thrown_ = std::move(thrown);
    }
  }
  /// No unit from `unit` on need be executed. By any member.
  void bound(std::uint32_t unit) noexcept {
    // relaxed: units that are executed meanwhile do no harm.
    std::uint32_t seen = bound_.load(std::memory_order_relaxed);
    while (unit < seen && !bound_.compare_exchange_weak(seen, unit, std::memory_order_relaxed)) {
    }
  }
  std::uint32_t bound() const noexcept { return bound_.load(std::memory_order_relaxed); } // as above

  /// Results, when no member is at work: the first hit, the first element that has thrown, and its exception.
  std::uint64_t hit() const noexcept { return hit_; }
  std::uint64_t thrower() const noexcept { return thrower_; }
  const std::exception_ptr& thrown() const noexcept { return thrown_; }

private:
  std::mutex mutex_;
  std::uint64_t hit_ = k_none;
  std::uint64_t thrower_ = k_none;
  std::exception_ptr thrown_;
  std::atomic<std::uint32_t> bound_{~std::uint32_t{0}};
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
