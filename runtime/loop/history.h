// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops that a team has executed before.
#pragma once

#include "loop_record.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace wstree::loop {

/// Finds the record of a loop. One member, the planner, adds records and, between regions, forgets them; all
/// look them up.
template <class P, class Sizes = UsualSizes> class History {
public:
  using Record = LoopRecord<P, Sizes>;

  History() = default;
  History(const History&) = delete;
  History& operator=(const History&) = delete;
  ~History() { forget(); }

  /// nullptr: there is no record.
  Record* find(const LoopKey& key) const noexcept {
    for (std::uint32_t i = 0, at = place_of(key); i < k_probes; ++i, at = (at + 1) % k_records) {
      // [H3] acquire: the key in the record was written before the record was added; pairs with the release
      //      in add(). Guard: model_team plans_* (relaxed: reads of a record that is not there yet);
      //      team_history under a thread sanitizer.
      Record* record = records_[at].load(P::order(core::Tag::add_record, std::memory_order_acquire));
      if (record == nullptr) return nullptr;
      if (record->key() == key) return record;
    }
    return nullptr;
  }

  /// By the planner: as find(), but a loop that comes for the second time gets a record.
  Record* find_or_add(const LoopKey& key, const core::Settings& settings) noexcept {
    if (Record* record = find(key)) return record;
    // Most loops whose number of iterations changes never come again.
    return was_seen(key) ? add(key, settings) : nullptr;
  }

  /// By the planner: the record is of a loop of the present region.
  void opened(Record& record) noexcept {
    if (record.is_open()) return;
    open_ = record.open(open_);
  }

  /// After a region; `next`: see LoopRecord::close().
  void close(std::uint64_t next) noexcept {
    while (open_ != nullptr) {
      Record* record = open_;
      open_ = record->close(next);
    }
    ++regions_;
    if (is_full_ && regions_ >= k_least_age) forget();
  }

private:
  static constexpr std::uint32_t k_records = 128;
  static constexpr std::uint32_t k_probes = 8;
  /// Regions: a program with more loops than that would make and forget records all the time.
  static constexpr std::uint64_t k_least_age = 1'000;

  /// Loops of one region differ in a few bits only: all bits have to reach the result.
  static std::uint32_t place_of(const LoopKey& key) noexcept {
    std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(key.region) + key.place;
    for (const std::uint64_t part : {key.iterations, std::uint64_t{key.members}}) {
      mixed = (mixed ^ mixed >> 32) * 0x9E3779B97F4A7C15U;
      mixed = (mixed ^ mixed >> 29) + part;
    }
    mixed = (mixed ^ mixed >> 32) * 0xBF58476D1CE4E5B9U;
    return static_cast<std::uint32_t>(mixed >> 40) % k_records;
  }

  /// Whether the loop has come before. Loops that would stand in the same place must not push each other out
  /// every time: they would never be remembered.
  bool was_seen(const LoopKey& key) noexcept {
    const std::uint32_t home = place_of(key);
    LoopKey* free = nullptr;
    for (std::uint32_t i = 0; i < k_probes; ++i) {
      LoopKey& seen = seen_once_[(home + i) % k_records];
      if (seen == key) return true;
      if (free == nullptr && seen == LoopKey{}) free = &seen;
    }
    if (free == nullptr) free = &seen_once_[(home + next_out_++ % k_probes) % k_records];
    *free = key;
    return false;
  }

  Record* add(const LoopKey& key, const core::Settings& settings) noexcept {
    for (std::uint32_t i = 0, at = place_of(key); i < k_probes; ++i, at = (at + 1) % k_records) {
      // relaxed: only this thread writes it.
      if (records_[at].load(std::memory_order_relaxed) != nullptr) continue;
      Record* record = Record::create(key, settings);
      // [H3] release: see find().
      if (record != nullptr)
        records_[at].store(record, P::order(core::Tag::add_record, std::memory_order_release));
      return record;
    }
    is_full_ = true; // to make room for the loops that are executed now
    return nullptr;
  }

  /// While nobody else can look.
  void forget() noexcept {
    for (auto& slot : records_) {
      Record::destroy(slot.load(std::memory_order_relaxed)); // between regions: ordered by the join
      slot.store(nullptr, std::memory_order_relaxed);        // likewise, by the next fork
    }
    is_full_ = false;
    regions_ = 0;
  }

  typename P::template Atomic<Record*> records_[k_records] = {};
  // Private to the planner.
  alignas(core::k_line_pair) LoopKey seen_once_[k_records];
  Record* open_ = nullptr;     // records of loops of the present region
  std::uint64_t regions_ = 0;  // since the last time that all was forgotten
  std::uint32_t next_out_ = 0; // of the loops in the way of another one
  bool is_full_ = false;
};

} // namespace wstree::loop
