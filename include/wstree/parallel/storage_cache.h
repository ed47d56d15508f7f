// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The storages that a thread keeps for its calls.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/reduction/storage.h"

#include <bit>
#include <cstdint>

namespace wstree {
inline namespace v1 {
namespace detail {

/// One storage for each call that the thread is in at a time: taken when a call begins, given back when it
/// ends, and freed with the thread. In the steady state calls allocate nothing.
class StorageCache {
public:
  using Storage = core::ReductionStorage<core::StdPlatform>;

  /// Returns the calling thread's cache.
  static StorageCache& mine() noexcept {
    static thread_local StorageCache cache;
    return cache;
  }

  StorageCache(const StorageCache&) = delete;
  StorageCache& operator=(const StorageCache&) = delete;

  /// Also after the cache was destroyed: at the end of a thread destructors of other objects make calls, and
  /// those of static objects after all of them. nullptr if there is no memory.
  [[gnu::cold]] Storage* take(std::uint32_t members) noexcept {
    for (std::uint32_t i = t_ended ? 0 : count_; i != 0; --i)
      if (kept_[i - 1]->capacity() >= members) {
        std::swap(kept_[i - 1], kept_[count_ - 1]);
        return kept_[--count_];
      }
    return Storage::create(std::max(std::bit_ceil(members), k_least));
  }
  [[gnu::cold]] void give_back(Storage* storage) noexcept {
    if (t_ended) return Storage::destroy(storage);
    if (count_ == k_most) {
      // The smallest goes: it fits the fewest calls.
      Storage** smallest = kept_;
      for (Storage*& kept : kept_)
        if (kept->capacity() < (*smallest)->capacity()) smallest = &kept;
      std::swap(*smallest, storage);
      return Storage::destroy(storage);
    }
    kept_[count_++] = storage;
  }

private:
  static constexpr std::uint32_t k_most = 8;
  static constexpr std::uint32_t k_least = 2;

  StorageCache() = default;
  [[gnu::cold]] ~StorageCache() {
    t_ended = true;
    while (count_ != 0) Storage::destroy(kept_[--count_]);
  }

  static inline constinit thread_local bool t_ended = false; // the cache is no more; without a destructor

  Storage* kept_[k_most] = {};
  std::uint32_t count_ = 0;
};

} // namespace detail
} // namespace v1
} // namespace wstree
