// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The states that a search has been in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace wstree::model {

/// A state is the hash of what every thread has done and read and of all modification orders: executions that
/// differ only in the order of independent operations come to the same one. What can follow depends also on
/// what the bounds leave: a state is explored again if it is reached with more of anything than ever before.
class Visited {
public:
  static constexpr std::uint32_t k_most = 8;

  /// True if everything that can follow has been, or is being, explored.
  bool add(std::uint64_t state, std::uint32_t preempted, std::uint32_t stale) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = find(state);
    if (slot.spent == 0) ++count_;
    slot.state = state;
    const std::uint64_t mark = std::uint64_t{1} << (preempted * k_most + stale);
    if ((slot.spent & cheaper(preempted, stale)) != 0) return true;
    slot.spent |= mark;
    return false;
  }
  std::size_t count() const { return count_; }

private:
  struct Slot {
    std::uint64_t state = 0;
    std::uint64_t spent = 0; // a bit for every pair of what had been spent before
  };

  /// Pairs that leave at least as much.
  static std::uint64_t cheaper(std::uint32_t preempted, std::uint32_t stale) {
    const std::uint64_t row = (std::uint64_t{2} << stale) - 1;
    std::uint64_t rows = 0;
    for (std::uint32_t p = 0; p <= preempted; ++p) rows |= row << (p * k_most);
    return rows;
  }
  Slot& find(std::uint64_t state) {
    std::size_t at = state & (slots_.size() - 1);
    while (slots_[at].spent != 0 && slots_[at].state != state) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 1024 : 2 * slots_.size());
    std::swap(old, slots_);
    for (const Slot& slot : old)
      if (slot.spent != 0) find(slot.state) = slot;
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

} // namespace wstree::model
