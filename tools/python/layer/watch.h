// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times of parallel functions, for the package's statistics.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace layer {

/// Counts calls by kernel, of as many kernels as there is room for.
class Watch {
public:
  struct Figures {
    std::uint64_t calls, iterations, ns;
  };

  void start() noexcept {
    is_on_.store(true, std::memory_order_relaxed);
  } // before the first kernel is compiled
  bool is_on() const noexcept { return is_on_.load(std::memory_order_relaxed); }

  // All relaxed: numbers of which no other data depends.
  void add(const void* kernel, std::uint64_t iterations, std::chrono::nanoseconds took) noexcept {
    Row* const row = row_of(kernel, true);
    if (row == nullptr) return;
    row->calls.fetch_add(1, std::memory_order_relaxed);
    row->iterations.fetch_add(iterations, std::memory_order_relaxed);
    row->ns.fetch_add(static_cast<std::uint64_t>(took.count()), std::memory_order_relaxed);
  }
  Figures of(const void* kernel) noexcept {
    const Row* const row = row_of(kernel, false);
    if (row == nullptr) return {0, 0, 0};
    return {row->calls.load(std::memory_order_relaxed), row->iterations.load(std::memory_order_relaxed),
            row->ns.load(std::memory_order_relaxed)};
  }

private:
  struct Row {
    std::atomic<const void*> kernel{nullptr};
    std::atomic<std::uint64_t> calls{0}, iterations{0}, ns{0};
  };
  Row* row_of(const void* kernel, bool adds) noexcept {
    for (Row& row : rows_) {
      const void* seen = row.kernel.load(std::memory_order_relaxed);
      if (seen == nullptr && !adds) return nullptr;
      if (seen == nullptr && row.kernel.compare_exchange_strong(seen, kernel, std::memory_order_relaxed))
        return &row;
      if (seen == kernel) return &row;
    }
    return nullptr;
  }

  std::atomic<bool> is_on_{false};
  Row rows_[256];
};

} // namespace layer
