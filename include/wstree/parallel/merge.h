// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// merge, inplace_merge
#pragma once

#include "wstree/parallel/entry.h"
#include "wstree/parallel/extrema.h"
#include "wstree/parallel/merge_runs.h"
#include "wstree/parallel/part_of.h"
#include "wstree/parallel/second_input.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// condition ? yes : no, without a branch.
template <class T> T select_value(bool condition, const T& yes, const T& no) noexcept {
  if constexpr (sizeof(T) <= sizeof(std::size_t))
    return condition ? yes : no;
  else // compilers make a branch of that
    return *reinterpret_cast<const T*>(
        select(condition, reinterpret_cast<std::uintptr_t>(&yes), reinterpret_cast<std::uintptr_t>(&no)));
}

/// Two sorted pieces in memory on their way to `to`.
template <class T, class A, class B, class Out, class Compare> struct CopiedMerge {
  A a, a_end; // pointers to T, which may be const
  B b, b_end;
  Out to;
  Compare& less;

  void run() {
    constexpr std::ptrdiff_t k_row = 16; // of one input: copied at once
    Out past = ahead(to, static_cast<std::size_t>((a_end - a) + (b_end - b)));
    while (auto steps = std::min({a_end - a, b_end - b, 2 * k_row}) / 2) {
      if (a_end - a >= k_row && !less(*b, a[k_row - 1]))
        a = copied(a, k_row);
      else if (b_end - b >= k_row && less(b[k_row - 1], *a))
        b = copied(b, k_row);
      else
        for (; steps != 0; --steps) one_from_both_ends(past);
    }
    while (a != a_end && b != b_end) write_to(to, less(*b, *a) ? *b++ : *a++), ++to;
    a = copied(a, a_end - a);
    b = copied(b, b_end - b);
  }

private:
  template <class From> From copied(From from, std::ptrdiff_t count) {
    to = std::copy(from, from + count, to);
    return from + count;
  }
  /// The processor works on both at a time.
  void one_from_both_ends(Out& past) {
    const bool first_is_b = less(*b, *a), last_is_a = less(b_end[-1], a_end[-1]);
    const T first = select_value(first_is_b, *b, *a), last = select_value(last_is_a, a_end[-1], b_end[-1]);
    a += !first_is_b, b += first_is_b, a_end -= last_is_a, b_end -= !last_is_a;
    write_to(to, first), ++to;
    --past, write_to(past, last);
  }
};

/// Elements of the result are the numbers: the value is how many of those before are from the first input.
/// A member that goes on where it has stopped need not search for the place.
template <class In1, class In2, class Out, class Compare> struct MergeFolder {
  struct Value {
    std::size_t of_first;
  };
  const In1& one;
  const In2& two;
  Out out;
  Compare& less; ///< compares any two elements of the inputs

  void start(void* place, std::uint64_t begin, std::uint64_t end) {
    Value value{split(begin, 0, one.count)};
    extend(value, begin, end);
    ::new (place) Value(value);
  }
  void extend(Value& value, std::uint64_t begin, std::uint64_t end) {
    using T = typename In1::Value;
    std::size_t i = value.of_first, k = begin - i;
    if constexpr (In1::k_in_memory && In2::k_in_memory && std::is_same_v<T, typename In2::Value> &&
                  k_is_selected<T>) {
      value.of_first = split(end, i, i + (end - begin));
      const auto a = std::to_address(one.first);
      const auto b = std::to_address(two.first);
      const std::size_t of_second = end - value.of_first;
      CopiedMerge<T, std::remove_const_t<decltype(a)>, std::remove_const_t<decltype(b)>, Out, Compare>{
          a + i, a + value.of_first, b + k, b + of_second, ahead(out, begin), less}
          .run();
    } else {
      const In1 a = one; // in registers while the loop stores bytes
      const In2 b = two;
      Out to = ahead(out, begin);
      const Out past = ahead(out, end);
      while (std::size_t steps = least(a.count - i, b.count - k, static_cast<std::size_t>(past - to))) {
        for (; steps != 0; --steps, ++to) {
          if (less(b[k], a[i]))
            write_to(to, b[k++]);
          else
            write_to(to, a[i++]);
        }
      }
      for (; to != past && i < a.count; ++i, ++to) write_to(to, a[i]);
      for (; to != past; ++k, ++to) write_to(to, b[k]);
      value.of_first = i;
    }
  }
  static void combine(Value& left, const Value& right) noexcept { left = right; }

private:
  /// Returns how many of the first `count` elements of the result are from the first input.
  std::size_t split(std::uint64_t count, std::size_t least_of_one, std::size_t most_of_one) const {
    const std::size_t fewest = count > two.count ? count - two.count : 0;
    return split_of([&](std::size_t i) -> decltype(auto) { return one[i]; },
                    [&](std::size_t i) -> decltype(auto) { return two[i]; }, count,
                    std::max(least_of_one, fewest), least(most_of_one, count, one.count), less);
  }
};

/// Copies two sorted inputs to `out`, sorted; less(a, b) takes elements of any of them.
template <class Policy, class In1, class In2, class Out, class Compare>
void merge_to(const Policy& policy, const In1& one, const In2& two, const Out& out, Compare& less,
              call_site where) {
  MergeFolder<In1, In2, Out, Compare> folder{one, two, out, less};
  Result<typename decltype(folder)::Value> result;
  if (one.count + two.count != 0) fold_tree(policy, one.count + two.count, folder, result, where);
}

struct Merge : Called {
  template <class Policy, class In, class... Rest>
  auto operator()(const Policy& policy, const In& in, Rest&&... rest) const {
    return with_second<SecondEnd::is_needed>(
        in.count,
        [&]<class In2, class Out, class Comp = Less, class Proj1 = Identity, class Proj2 = Identity>(
            const In2& two, Out&& destination, Comp comp = {}, Proj1 proj1 = {}, Proj2 proj2 = {}) {
          const auto out = target(destination);
          if constexpr (check_comparison_of_two<Comp, In2, In, Proj2, Proj1>()) {
            auto less = [&](auto&& b, auto&& a) -> bool { return comp(invoke(proj2, b), invoke(proj1, a)); };
            merge_to(policy, in, two, out, less, where);
          }
          return ahead(out, in.count + two.count);
        },
        std::forward<Rest>(rest)...);
  }
};

/// Merges the sorted elements before `middle` and those from there on. With a team, all elements stay also if
/// less() throws: they are merged to memory of the call, in pieces that each move all of theirs, and back.
template <class Policy, class Iterator, class Compare>
void merge_in_place(const Policy& policy, Iterator first, std::size_t middle, std::size_t count,
                    Compare& less, call_site where) {
  using T = std::iter_value_t<Iterator>;
  if (policy.stop_requested() && throw_cancelled()) return;
  const auto alone = [&] {
    const auto by_reference = [&less](const auto& a, const auto& b) -> bool { return less(a, b); };
    std::inplace_merge(first, ahead(first, middle), ahead(first, count), by_reference);
    policy.advance(count);
  };
  constexpr std::size_t k_alone = 4096, k_pieces = 4;
  if constexpr (!k_moves_safely<Iterator>) {
    return alone();
  } else {
    const std::size_t members = most_members(policy), pieces = least(k_pieces * members, count / 256);
    if (members == 1 || count <= k_alone || middle == 0 || middle == count) return alone();
    if (!less(*ahead(first, middle), *ahead(first, middle - 1))) return policy.advance(count);
    const Room<T> room(count, std::nothrow);
    const std::unique_ptr<std::size_t[]> splits(new (std::nothrow) std::size_t[pieces + 1]);
    if (!room || splits == nullptr) return alone();
    const Live<Iterator> live{first};
    const Raw<T> raw = room.raw();
    const auto bound = [&](std::size_t piece) { return begin_of_piece(count, pieces, piece); };
    splits[0] = 0, splits[pieces] = middle;
    for (std::size_t piece = 1; piece < pieces; ++piece) {
      const std::size_t end = bound(piece), right = count - middle;
      const std::size_t fewest = end > right ? end - right : 0;
      splits[piece] = split_of([&](std::size_t i) -> const T& { return live[i]; },
                               [&](std::size_t i) -> const T& { return live[middle + i]; }, end,
                               fewest > splits[piece - 1] ? fewest : splits[piece - 1],
                               least(middle, splits[piece - 1] + end - bound(piece - 1)), less);
    }
    Control control;
    const par part = part_of(policy);
    for_each_chunk(
        part, std::size_t{0}, pieces,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            const Span a{splits[i], splits[i + 1]};
            const Span b{middle + bound(i) - a.begin, middle + bound(i + 1) - a.end};
            const auto as_they_are = [](const T&, const T&) { return false; };
            if (control.goes_on(policy))
              control.guard(i, [&] { merge_spans<T>(live, a, b, raw, bound(i), less); });
            else
              merge_spans<T>(live, a, b, raw, bound(i), as_they_are);
          }
        },
        where);
    for_each_chunk(
        part, std::size_t{0}, count,
        [&](std::size_t begin, std::size_t end) {
          relocate_all(raw, begin, end, live, begin);
          policy.advance(end - begin);
        },
        where);
    control.finish();
  }
}

struct InplaceMerge : Called, Finder, WithMiddle {
  template <class Policy, class In, class Middle, class Comp = Less, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, const Middle& middle, Comp comp = {},
                  Proj proj = {}) const {
    if constexpr (check_permutable<In>() && check_comparison<Comp, In, Proj>()) {
      auto less = by_projection<In>(comp, proj);
      merge_in_place(policy, in.first, static_cast<std::size_t>(middle - in.first), in.count, less, where);
    }
    return in.at(in.count);
  }
};

} // namespace detail

/// merge([policy,] elements, other elements, output [, comparison [, projections]]) -> the end of the output
inline constexpr detail::Entry<detail::Merge> merge{};
/// inplace_merge([policy,] first, middle, last [, comparison [, projection]]), or a range and its middle
inline constexpr detail::Entry<detail::InplaceMerge> inplace_merge{};

} // namespace v1
} // namespace wstree
