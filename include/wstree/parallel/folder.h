// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements of a fold: folders, the adapter between algorithms and the reduction tree.
#pragma once

#include "wstree/core/reduction/value.h"
#include "wstree/parallel/policy.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// A folder, which detail::fold_tree() executes: elements have the numbers 0 to n-1 here. All functions may
/// throw. All members use one folder at a time.
template <class F>
concept folder = requires(F& f, void* place, typename F::Value& left, typename F::Value& right,
                          std::uint64_t begin, std::uint64_t end) {
  f.start(place, begin, end); // makes the value of elements [begin, end), which are not none, at `place`
  f.extend(left, begin, end); // continues `left` by the elements behind it
  f.combine(left, right);     // continues `left` by the value of the elements behind it, which is
                              // destroyed next
};

/// Returns the elements of one of a folder's units, which may be blocks; the last one may have fewer.
template <class F> constexpr std::uint64_t unit_of() noexcept {
  if constexpr (requires { F::k_unit; })
    return F::k_unit;
  else
    return 1;
}
/// Returns the shortest targets that a batch takes at least.
template <class F> constexpr std::uint64_t targets_of() noexcept {
  if constexpr (requires { F::k_targets; })
    return F::k_targets;
  else
    return 1;
}
/// Returns the elements of the units [begin, end).
template <class F>
std::uint64_t elements_of(const F& folder, std::uint64_t begin, std::uint64_t end) noexcept {
  if constexpr (unit_of<F>() != 1)
    return folder.elements(begin, end);
  else
    return end - begin;
}

template <class T> using Result = core::Maybe<T>;

/// Returns the number of integers in [first, last), also where the difference is no Index.
template <std::integral Index> constexpr std::uint64_t distance(Index first, Index last) noexcept {
  static_assert(sizeof(Index) <= sizeof(std::uint64_t), "wstree: integers have at most 64 bits");
  return static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
}
template <std::integral Index> constexpr Index advanced(Index first, std::uint64_t by) noexcept {
  return static_cast<Index>(static_cast<std::uint64_t>(first) + by);
}

struct Nothing {};

/// A function object in the body of a loop that calls it with Arguments. Small ones are values, which
/// compilers keep in registers; an object in memory may be changed by every store of a byte.
template <class F, class... Arguments>
using InLoop = std::conditional_t<std::is_trivially_copyable_v<F> && sizeof(F) <= 64 &&
                                      std::is_invocable_v<const F&, Arguments...>,
                                  const F, F&>;
/// Such a function object as a member, for captures of lambdas.
template <class F, class... Arguments> struct HeldCall { InLoop<F, Arguments...> f; };

/// An argument of a function that is not inlined: a value if that is as good.
template <class T> using Passed = std::conditional_t<std::is_trivially_copyable_v<T>, const T, const T&>;

/// A loop over integers in chunks.
template <class Index, class Chunk> struct EachChunk {
  HeldCall<Chunk, Index, Index> chunk;
  Index first;

  void operator()(std::uint64_t begin, std::uint64_t end) const {
    chunk.f(advanced(first, begin), advanced(first, end));
  }
};

template <class Index, class Init, class Chunk, class Combine> struct ChunkFolder {
  static constexpr bool makes = std::invocable<Init&>;
  static decltype(auto) make_of(Init& init) {
    if constexpr (makes)
      return init();
    else
      return Init(init);
  }
  using Value = std::remove_cvref_t<decltype(make_of(std::declval<Init&>()))>;

  Init& init;
  Chunk& chunk;
  Combine& combine_two;
  Index first;

  Value make() { return make_of(init); }
  /// True if the function changes an accumulator in place, and returns nothing.
  static constexpr bool k_in_place = requires(Value & value) {
    requires std::is_void_v<std::invoke_result_t<Chunk&, Value&, Index, Index>>;
  };
  Value piece(std::uint64_t begin, std::uint64_t end) {
    if constexpr (k_in_place) {
      Value value = make();
      chunk(value, advanced(first, begin), advanced(first, end));
      return value;
    } else {
      return Value(chunk(make(), advanced(first, begin), advanced(first, end)));
    }
  }
  void start(void* place, std::uint64_t begin, std::uint64_t end) { ::new (place) Value(piece(begin, end)); }
  void extend(Value& value, std::uint64_t begin, std::uint64_t end) {
    if constexpr (k_in_place)
      chunk(value, advanced(first, begin), advanced(first, end));
    else
      value = static_cast<Value>(chunk(std::move(value), advanced(first, begin), advanced(first, end)));
  }
  void combine(Value& left, Value& right) { left = Value(combine_two(std::move(left), std::move(right))); }
};

template <class Init, class Chunk, class Combine, class Index>
ChunkFolder<Index, Init, Chunk, Combine> make_folder(Init& init, Chunk& chunk, Combine& combine,
                                                     Index first) {
  using Value = typename ChunkFolder<Index, Init, Chunk, Combine>::Value;
  static_assert(std::is_invocable_v<Chunk&, Value, Index, Index> ||
                    ChunkFolder<Index, Init, Chunk, Combine>::k_in_place,
                "wstree: the function of a fold has to take an accumulator and the two ends of a chunk, and "
                "return the accumulator");
  static_assert(std::is_invocable_v<Combine&, Value, Value>,
                "wstree: the last argument of a fold has to take two accumulators and return one");
  return {init, chunk, combine, first};
}

} // namespace detail
} // namespace v1
} // namespace wstree
