// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for tasks, which one thread often makes and another one frees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Blocks of one size. Each thread keeps up to 64, and gives half of them to a common depot or takes half of
/// a load from there, so that blocks which travel from producers to consumers cost a lock for each 32. Blocks
/// for which the depot has no room go back to the system.
class BlockCache {
public:
  static constexpr std::size_t k_bytes = 64;

  static void* take() {
    if (t_mine.first == nullptr) [[unlikely]]
      refill();
    --t_mine.count;
    Block* const block = t_mine.first;
    t_mine.first = block->next;
    __builtin_prefetch(t_mine.first, 1); // another thread has used it last, and this one will need it soon
    return block;
  }
  static void give(void* memory) noexcept {
    if (t_mine.count >= t_mine.most) [[unlikely]]
      if (spill(memory)) return;
    t_mine.first = ::new (memory) Block{t_mine.first};
    ++t_mine.count;
  }

private:
  struct Block {
    Block* next;
  };
  static constexpr std::uint32_t k_most = 64, k_load = 32, k_loads = 1024;

  struct Mine {
    Block* first;
    std::uint32_t count;
    std::uint32_t most; ///< 0: this thread has kept nothing yet, or its end has begun
  };

  /// Loads of blocks. It lives as long as the process: threads end after static objects.
  class Depot {
  public:
    static Depot& get() {
      static Depot& depot = *new Depot;
      return depot;
    }
    Block* take() noexcept {
      const std::lock_guard lock(mutex_);
      return count_ != 0 ? loads_[--count_] : nullptr;
    }
    bool give(Block* load) noexcept {
      const std::lock_guard lock(mutex_);
      if (count_ == k_loads) return false;
      loads_[count_++] = load;
      return true;
    }

  private:
    std::mutex mutex_;
    std::uint32_t count_ = 0;
    Block* loads_[k_loads] = {};
  };

  struct AtEnd {
    ~AtEnd() {
      t_mine.most = 0;
      t_ended = true;
      t_mine.count = 0;
      release(std::exchange(t_mine.first, nullptr));
    }
  };

  static void* allocate() { return ::operator new (k_bytes, std::align_val_t{k_bytes}); }
  static void release(Block* first) noexcept {
    while (first != nullptr)
      ::operator delete (static_cast<void*>(std::exchange(first, first->next)), std::align_val_t{k_bytes});
  }
  /// Prepares this thread to keep blocks. Returns false if the thread's end has begun: it keeps none
  /// any more.
  static bool begin() noexcept {
    if (t_ended) return false;
    static thread_local AtEnd at_end;
    static_cast<void>(at_end);
    t_mine.most = k_most;
    return true;
  }

  [[gnu::noinline]] static void refill() {
    if (begin()) {
      t_mine.first = Depot::get().take();
      t_mine.count = t_mine.first != nullptr ? k_load : 0;
    }
    if (t_mine.first != nullptr) return;
    t_mine.first = ::new (allocate()) Block{nullptr};
    t_mine.count = 1;
  }
  /// Makes room for the block. Returns true if it freed the block instead.
  [[gnu::noinline]] static bool spill(void* memory) noexcept {
    if (t_mine.most == 0) {
      if (begin()) return false;
      release(::new (memory) Block{nullptr});
      return true;
    }
    Block* const load = t_mine.first;
    Block* last = load;
    for (std::uint32_t i = 1; i < k_load; ++i) last = last->next;
    t_mine.first = std::exchange(last->next, nullptr);
    t_mine.count -= k_load;
    if (!Depot::get().give(load)) release(load);
    return false;
  }

  static inline constinit thread_local Mine t_mine{};
  static inline constinit thread_local bool t_ended = false;
};

} // namespace detail
} // namespace v1
} // namespace wstree
