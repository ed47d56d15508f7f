// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each algorithm on ranks does with its elements.
#pragma once

#include "wstree/mpi/run.h"
#include "wstree/mpi/segments.h"
#include "wstree/parallel/dyadic.h"
#include "wstree/parallel/folder.h"
#include "wstree/parallel/lanes.h"
#include "wstree/parallel/operators.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

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

/// All values in order.
template <class T, class Get> struct ValuesBody {
  using Value = std::vector<T>;
  Get& get;

  Value start(std::uint64_t begin, std::uint64_t end, Position& at) {
    Value values;
    extend(values, begin, end, at);
    return values;
  }
  void extend(Value& values, std::uint64_t begin, std::uint64_t end, Position& at) {
    for (at.element = begin; at.element != end; ++at.element)
      values.push_back(static_cast<T>(get(std::uint64_t{at.element})));
  }
  void join(Value& left, Value& right) { left.insert(left.end(), right.begin(), right.end()); }
};

/// Sums of blocks of k_block elements, by the same additions wherever they are made; units are blocks.
template <class T, class Get> struct SumBody {
  struct Value {
    alignas(wstree::detail::Run<T>) std::byte bytes[sizeof(wstree::detail::Run<T>)];
  };
  std::uint64_t count;
  Get& get;
  plus add{};

  Value start(std::uint64_t begin, std::uint64_t end, Position& at) { return packed(made(begin, end, at)); }
  void extend(Value& value, std::uint64_t begin, std::uint64_t end, Position& at) {
    auto run = unpacked(value);
    run.append(made(begin, end, at), add);
    value = packed(run);
  }
  void join(Value& left, Value& right) {
    auto run = unpacked(left);
    run.append(unpacked(right), add);
    left = packed(run);
  }
  T total(const Value& value) { return static_cast<T>(T{} + unpacked(value).value(add)); }

private:
  using Run = wstree::detail::Run<T>;
  static_assert(std::is_arithmetic_v<T>, "wstree: sum() adds numbers; use reduce() for other types");

  Run made(std::uint64_t begin, std::uint64_t end, Position& at) {
    Run run;
    const auto value = [&](std::size_t i) {
      at.element = i;
      return static_cast<T>(get(std::uint64_t{i}));
    };
    for (std::uint64_t first = begin; first < end; first += wstree::detail::k_block)
      run.push_block(
          first / wstree::detail::k_block,
          wstree::detail::fold_block<T>(first, std::min(first + wstree::detail::k_block, count), value, add),
          add);
    return run;
  }
  /// A run of numbers holds no pointers, so ranks send each other its bytes.
  static Value packed(const Run& run) {
    Value value;
    std::memcpy(value.bytes, static_cast<const void*>(&run), sizeof run);
    return value;
  }
  static Run unpacked(const Value& value) {
    Run run;
    std::memcpy(static_cast<void*>(&run), value.bytes, sizeof run);
    return run;
  }
};

template <class Predicate> struct FindBody {
  using Value = NoValue;
  Predicate& predicate;
  std::uint64_t before; // elements before the first one

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
