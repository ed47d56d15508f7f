// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of the algorithms on ranks: their work on elements.
#pragma once

#include "wstree/mpi/block_sums.h"
#include "wstree/mpi/run.h"
#include "wstree/mpi/segments.h"
#include "wstree/parallel/folder.h"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

template <class Function> struct EachBody {
  using Value = NoValue;
  Function& function;

  NoValue start(std::uint64_t begin, std::uint64_t end, Position& at) {
    for (at.element = begin; at.element != end; ++at.element) function(std::uint64_t{at.element});
    return {};
  }
  void extend(NoValue&, std::uint64_t begin, std::uint64_t end, Position& at) { start(begin, end, at); }
  static void join(NoValue&, NoValue&) noexcept {}
};

template <class Function> struct ChunkBody {
  using Value = NoValue;
  Function& function;

  NoValue start(std::uint64_t begin, std::uint64_t end, Position&) {
    function(begin, end);
    return {};
  }
  void extend(NoValue&, std::uint64_t begin, std::uint64_t end, Position& at) { start(begin, end, at); }
  static void join(NoValue&, NoValue&) noexcept {}
};

template <class Folder> struct FoldBody {
  using Value = typename Folder::Value;
  Folder& folder;

  Value start(std::uint64_t begin, std::uint64_t end, Position&) { return folder.piece(begin, end); }
  void extend(Value& value, std::uint64_t begin, std::uint64_t end, Position&) {
    folder.extend(value, begin, end);
  }
  void join(Value& left, Value& right) { folder.combine(left, right); }
};

template <class T, class Op, class Get> struct ReduceBody {
  using Value = T;
  Op& op;
  Get& get;
  T& init;

  T start(std::uint64_t begin, std::uint64_t end, Position& at) {
    T value = static_cast<T>(get(begin));
    extend(value, begin + 1, end, at);
    return value;
  }
  void extend(T& value, std::uint64_t begin, std::uint64_t end, Position& at) {
    for (at.element = begin; at.element != end; ++at.element)
      value = static_cast<T>(op(std::move(value), static_cast<T>(get(std::uint64_t{at.element}))));
  }
  void join(T& left, T& right) { left = static_cast<T>(op(std::move(left), std::move(right))); }
  /// Puts `init` in front of the value of all elements.
  void end(T& value) { value = static_cast<T>(op(std::move(init), std::move(value))); }
};

template <class T, class Get> struct SumBody {
  using Value = BlockSums<T>;
  static constexpr bool k_joins_quietly = true; // sums of numbers throw nothing
  std::uint64_t count;
  Get& get;

  Value start(std::uint64_t begin, std::uint64_t end, Position& at) {
    Value sums(count, begin);
    extend(sums, begin, end, at);
    return sums;
  }
  void extend(Value& sums, std::uint64_t, std::uint64_t end, Position& at) {
    const auto value = [&](std::uint64_t i) {
      at.element = i;
      return static_cast<T>(get(std::uint64_t{i}));
    };
    sums.extend(end, value);
  }
  void join(Value& left, Value& right) { left.append(right); }
};

template <class Predicate> struct FindBody {
  using Value = NoValue;
  Predicate& predicate;
  std::uint64_t before; // elements before the call's range

  NoValue start(std::uint64_t begin, std::uint64_t end, Position& at) {
    for (at.element = begin; at.element != end; ++at.element)
      if (predicate(before + at.element)) {
        at.is_hit = true;
        break;
      }
    return {};
  }
  void extend(NoValue&, std::uint64_t begin, std::uint64_t end, Position& at) { start(begin, end, at); }
  static void join(NoValue&, NoValue&) noexcept {}
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
