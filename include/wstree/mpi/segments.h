// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The units that a rank has executed, and their values, in the order of the loop.
#pragma once

#include "wstree/mpi/range_word.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// The value of loops without one.
struct NoValue {};

/// Units that were executed one after the other, and their value.
template <class V> struct Segment {
  Range units;
  V value;
};

/// Segments in ascending order, with gaps between them.
template <class V> class Segments {
public:
  bool empty() const noexcept { return list_.empty(); }
  auto begin() const noexcept { return list_.begin(); }
  auto end() const noexcept { return list_.end(); }
  auto begin() noexcept { return list_.begin(); }
  auto end() noexcept { return list_.end(); }
  std::size_t size() const noexcept { return list_.size(); }

  /// Continues the segment that ends where `units` begin by extend(value), or adds one with the value
  /// start().
  template <class Start, class Extend> void add(Range units, Start&& start, Extend&& extend) {
    if (list_.empty() || list_.back().units.end != units.begin) {
      list_.push_back({units, start()});
    } else {
      extend(list_.back().value);
      list_.back().units.end = units.end;
    }
  }

  /// Appends a segment; join(left, right) appends its value to that of a neighbour.
  template <class Join> void append(Segment<V>&& next, Join&& join) {
    if (!list_.empty() && list_.back().units.end == next.units.begin) {
      join(list_.back().value, next.value);
      list_.back().units.end = next.units.end;
    } else {
      list_.push_back(std::move(next));
    }
  }
  template <class Join> void append(Segments&& next, Join&& join) {
    for (Segment<V>& segment : next.list_) append(std::move(segment), join);
  }

  /// Adds a segment anywhere in the order; arrange() comes before all others.
  void add(Segment<V>&& next) { list_.push_back(std::move(next)); }

  /// Brings the segments into order, and joins neighbours. `at`: the begin of the segment that is being
  /// joined to the segment before it, if join() throws.
  template <class Join> void arrange(Join&& join, std::uint32_t& at) {
    std::sort(list_.begin(), list_.end(),
              [](const auto& left, const auto& right) { return left.units.begin < right.units.begin; });
    Segments ordered;
    for (Segment<V>& segment : list_) {
      at = segment.units.begin;
      ordered.append(std::move(segment), join);
    }
    list_ = std::move(ordered.list_);
  }

private:
  std::vector<Segment<V>> list_;
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
