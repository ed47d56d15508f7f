// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/runtime.h"

#include <cstddef>

namespace wstree::abi {
namespace {

/// One cache line of bindings that somebody has found, filled from its front. Nothing ever leaves it.
struct alignas(64) Bucket {
  static constexpr std::size_t k_slots = 8;
  std::atomic<const Binding*> slots[k_slots];
};

/// Of all names together: 32 KB, of which the system provides the pages that are used. 300 modules that call
/// five functions each from two pages of their code fill three quarters.
constexpr unsigned k_bucket_bits = 9;
constinit Bucket g_buckets[std::size_t{1} << k_bucket_bits];

/// The calls of one page of code share a bucket, because no two objects share a page.
Bucket& bucket_for(const void* list, const void* caller) noexcept {
  constexpr unsigned k_page_bits = 12; // or more
  constexpr unsigned k_alignment_bits = 3;
  constexpr std::uint64_t k_odd = 0x9e3779b97f4a7c15;
  const std::uint64_t page = reinterpret_cast<std::uintptr_t>(caller) >> k_page_bits;
  const std::uint64_t name = reinterpret_cast<std::uintptr_t>(list) >> k_alignment_bits;
  return g_buckets[(page + name * k_odd) * k_odd >> (64 - k_bucket_bits)];
}

const Binding* walk(const Binding* known, const void* caller) noexcept {
  while (known != nullptr && !known->is_for(caller)) known = known->older;
  return known;
}

} // namespace

const Binding* find_older(const Binding& latest, const void* caller) noexcept {
  for (std::atomic<const Binding*>& slot : bucket_for(latest.list, caller).slots) {
    // acquire: pairs with the release below, so that the binding is complete. It may be of another name,
    // whose list this thread has never read.
    const Binding* known = slot.load(std::memory_order_acquire);
    if (known == nullptr) {
      const Binding* found = walk(latest.older, caller);
      // release: the thread that walked has seen the binding complete, and hands that on to the acquire
      // above. relaxed: where another thread was first, its binding is not looked at. A call later this one
      // gets the next slot, or none.
      if (found != nullptr)
        slot.compare_exchange_strong(known, found, std::memory_order_release, std::memory_order_relaxed);
      return found;
    }
    if (known->list == latest.list && known->is_for(caller)) return known;
  }
  return walk(latest.older, caller);
}

} // namespace wstree::abi
