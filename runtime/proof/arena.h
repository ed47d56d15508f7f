// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of one proof.
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>

namespace wstree::proof {

class Arena {
public:
  Arena() noexcept {
    for (auto& spare : s_spares) {
      // acquire: pairs with the release below, by which the head is seen. Guard: none on x86;
      // process.Repeated proves in several threads.
      memory_ = spare.load(std::memory_order_relaxed) != nullptr
                    ? spare.exchange(nullptr, std::memory_order_acquire)
                    : nullptr;
      if (memory_ == nullptr) continue;
      void* const grown = ::mremap(memory_, k_most_kept, k_size, MREMAP_MAYMOVE);
      if (grown == MAP_FAILED) {
        ::munmap(memory_, k_most_kept);
        memory_ = nullptr;
        continue;
      }
      memory_ = static_cast<std::byte*>(grown);
      std::memcpy(&dirty_, memory_, sizeof(dirty_));
      return;
    }
    void* const memory =
        ::mmap(nullptr, k_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = static_cast<std::byte*>(memory);
    // Most proofs touch as much. Kernels before 5.14 refuse to map it at once.
    constexpr int k_populate_write = 23;
    (void)::madvise(memory_, std::size_t{320} << 10, k_populate_write);
  }
  ~Arena() {
    if (memory_ == nullptr) return;
    std::memcpy(memory_, &dirty_, sizeof(dirty_));
    rlimit most{};
    const bool is_kept = dirty_ <= k_most_kept && ::getrlimit(RLIMIT_AS, &most) == 0 &&
                         most.rlim_cur == RLIM_INFINITY &&
                         ::munmap(memory_ + k_most_kept, k_size - k_most_kept) == 0;
    for (auto& spare : s_spares) {
      std::byte* none = nullptr;
      if (is_kept &&
          spare.compare_exchange_strong(none, memory_, std::memory_order_release, std::memory_order_relaxed))
        return;
    }
    ::munmap(memory_, is_kept ? k_most_kept : k_size);
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Zeroed memory for `count` objects; nullptr: there is none. `cleared`: only so many bytes must be zero.
  template <class T> T* make(std::size_t count = 1, std::size_t cleared = k_size) noexcept {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): of pointers, too
    const std::size_t size = (count * sizeof(T) + 15) / 16 * 16;
    if (memory_ == nullptr || k_size - used_ < size) return nullptr;
    auto* const made = reinterpret_cast<T*>(memory_ + used_);
    if (used_ < dirty_) std::memset(static_cast<void*>(made), 0, std::min({size, cleared, dirty_ - used_}));
    used_ += size;
    dirty_ = std::max(dirty_, used_);
    return made;
  }

  std::size_t mark() const noexcept { return used_; }
  /// Frees what was made since mark().
  void release(std::size_t mark) noexcept { used_ = mark; }

private:
  /// Memory that proofs have left to the next ones, as fresh pages took a third of their time: the first
  /// k_most_kept bytes, since the program may have locked all its memory. Nothing is left where memory has a
  /// limit. It begins with the number of bytes that may not be zero.
  static constexpr std::size_t k_head = 16;
  static constexpr std::size_t k_most_kept = std::size_t{2} << 20;
  static inline constinit std::atomic<std::byte*> s_spares[2];

  static constexpr std::size_t k_size = std::size_t{32} << 20;
  std::byte* memory_ = nullptr;
  std::size_t used_ = k_head;
  std::size_t dirty_ = k_head; // zeros behind it
};

/// An array that grows in an arena, and leaves its former memory there.
template <class T> class Grown {
public:
  explicit Grown(Arena& arena) noexcept : arena_(arena) {}
  std::size_t size() const noexcept { return size_; }
  T& operator[](std::size_t index) noexcept { return items_[index]; }
  const T& operator[](std::size_t index) const noexcept { return items_[index]; }
  T* begin() noexcept { return items_; }
  T* end() noexcept { return items_ + size_; }
  T& back() noexcept { return items_[size_ - 1]; }
  void pop() noexcept { --size_; }
  void clear() noexcept { size_ = 0; }
  /// False: there is no memory.
  bool add(const T& item) noexcept {
    if (size_ == room_) {
      const std::size_t room = room_ == 0 ? 32 : room_ * 2;
      T* const items = arena_.make<T>(room);
      if (items == nullptr) return false;
      // NOLINTNEXTLINE(bugprone-sizeof-expression): as above
      if (size_ != 0) std::memcpy(static_cast<void*>(items), items_, size_ * sizeof(T));
      items_ = items;
      room_ = room;
    }
    items_[size_++] = item;
    return true;
  }

private:
  Arena& arena_;
  T* items_ = nullptr;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

} // namespace wstree::proof
