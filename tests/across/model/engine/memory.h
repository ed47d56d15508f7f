// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a program under the model checker: every store stays readable as a message.
#pragma once

#include "view.h"

#include <atomic>
#include <cstdint>
#include <vector>

namespace wstree::model {

enum Operation : std::uint64_t { k_load = 2, k_store, k_update, k_exchanged, k_refused, k_fence };

constexpr bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_consume ||
         order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}
constexpr bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9E3779B97F4A7C15ULL + b + 0x7F4A7C15ULL;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
  return x ^ x >> 31;
}

struct Message {
  std::uint64_t value = 0;
  std::uint64_t identity = 0; ///< hash of all that its writer had done; 0 of an initial value
  Time time = 0;
  std::uint32_t view = 0; ///< what an acquiring reader learns; 0: nothing
  bool glued = false;     ///< by a read-modify-write of the message before: nothing comes between
};

/// The C++20 model without promises (RC11: loads and stores of a thread take effect in program order, so no
/// value comes out of thin air, and load buffering is not seen). A location is its modification order. A load
/// may read any message that is not older than the thread's view of the location; a store may go before any
/// message that the thread has not seen, unless that is glued; a read-modify-write reads any message it might
/// load that nothing is glued to, and glues its own to that. Release stores carry the view of their thread,
/// acquire loads join what the message carries, read-modify-writes hand on what they have read (release
/// sequences).
///
/// seq_cst: the total order S is that in which the operations are executed. Each location remembers the
/// newest message that a seq_cst operation has read or written, and no later seq_cst operation reads an older
/// one or stores before it. Operations that are weaker ignore that. This is what C++20 demands
/// (coherence-ordered pairs agree with S); it is too strong only in that S also agrees with relaxed
/// reads-from between seq_cst operations, as it must in any model without promises.
///
/// Fences: what relaxed loads have read is kept for the thread's next acquire fence, and what it knew at its
/// latest release fence goes with its relaxed stores. A seq_cst fence is both; besides, it learns what
/// earlier seq_cst fences knew and what each location remembers of seq_cst operations, and later seq_cst
/// operations read nothing older than what it knew. Of modification orders only:
/// fences in S do not synchronize.
class Memory {
public:
  static constexpr std::uint32_t k_nothing = 0;

  struct Location {
    std::vector<Message> messages;
    std::uint64_t name = 0;  ///< the same in every execution
    std::uint64_t order = 0; ///< hash of the identities in their order
    Time floor = 0;          ///< newest message that seq_cst operations have seen
    std::uint64_t floor_identity = 0;
  };

  void reset();
  /// A new location with its initial value, which happens before everything.
  std::uint32_t add(std::uint64_t name, std::uint64_t value);
  const Location& location(std::uint32_t index) const { return locations_[index]; }

  View& view(std::uint32_t thread) { return threads_[thread]; }

  /// Fills `out` with what `thread` may read, newest first: positions in the modification order.
  void readable(std::uint32_t thread, std::uint32_t location, bool seq_cst, std::vector<std::uint32_t>& out);
  /// Whether nothing is glued to the message.
  bool is_extensible(std::uint32_t location, std::uint32_t position) const;
  /// Positions before which a store of `thread` may go, newest (the end) first.
  void writable(std::uint32_t thread, std::uint32_t location, bool seq_cst, std::vector<std::uint32_t>& out);

  void read(std::uint32_t thread, std::uint32_t location, std::uint32_t position, std::memory_order order);
  /// A store before `position`.
  void write(std::uint32_t thread, std::uint32_t location, std::uint32_t position, std::uint64_t value,
             std::memory_order order, std::uint64_t identity);
  /// A read-modify-write of the message at `position`.
  void update(std::uint32_t thread, std::uint32_t location, std::uint32_t position, std::uint64_t value,
              std::memory_order order, std::uint64_t identity);

  void fence(std::uint32_t thread, std::memory_order order, std::uint64_t history);

  /// Hash of all modification orders, and of the order of seq_cst fences.
  std::uint64_t hash() const { return sum_ + fences_; }

private:
  void insert(Location& location, std::uint32_t position, const Message& message);
  void see_in_order(Location& location, const Message& message);
  void forget(const Location& location) { sum_ -= hash_of(location); }
  void remember(const Location& location) { sum_ += hash_of(location); }
  static std::uint64_t hash_of(const Location& location) {
    return mix(location.name, mix(location.order, location.floor_identity));
  }
  std::uint32_t new_view();
  Time known(std::uint32_t thread, std::uint32_t location, bool seq_cst) const;
  /// What a store hands on.
  std::uint32_t released(std::uint32_t thread, std::memory_order order, std::uint32_t inherited);

  static constexpr Time k_gap = Time{1} << 32;

  std::vector<Location> locations_; // the first k_most_threads are clocks, and empty
  std::uint32_t used_ = 0;
  std::vector<View> views_; // of messages; 0 belongs to none
  std::uint32_t used_views_ = 0;
  View threads_[View::k_most_threads];
  View seen_[View::k_most_threads];     // by relaxed loads, for an acquire fence
  View released_[View::k_most_threads]; // at the latest release fence
  bool has_released_[View::k_most_threads]{};
  View fenced_; // known at seq_cst fences
  std::uint64_t fences_ = 0;
  std::uint64_t sum_ = 0;
};

} // namespace wstree::model
