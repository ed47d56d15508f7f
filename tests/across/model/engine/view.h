// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread, or a message, knows about the memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wstree::model {

/// Position in the modification order of one location; bigger is later. 0 is before the first.
using Time = std::uint64_t;

/// For every location the oldest message that may still be read. The first k_most_threads entries are not
/// locations but how many operations of each thread happen before: a vector clock.
class View {
public:
  static constexpr std::uint32_t k_most_threads = 4;

  Time operator[](std::size_t i) const { return i < oldest_.size() ? oldest_[i] : 0; }
  void raise(std::size_t i, Time to) {
    if (i >= oldest_.size()) oldest_.resize(i + 1, 0);
    oldest_[i] = std::max(oldest_[i], to);
  }
  void join(const View& other) {
    if (other.oldest_.size() > oldest_.size()) oldest_.resize(other.oldest_.size(), 0);
    for (std::size_t i = 0; i < other.oldest_.size(); ++i)
      oldest_[i] = std::max(oldest_[i], other.oldest_[i]);
  }
  void clear() { oldest_.clear(); }

private:
  std::vector<Time> oldest_;
};

} // namespace wstree::model
