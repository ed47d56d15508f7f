// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// equal, mismatch, lexicographical_compare, search, adjacent_find, is_sorted, is_sorted_until
// Exceptions, stops and thread-safety: README.md#what-is-promised
#pragma once

#include "wstree/parallel/entry.h"
#include "wstree/parallel/extrema.h"
#include "wstree/parallel/search.h"
#include "wstree/parallel/second_input.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// True if elements of the inputs are equal where their bytes are.
template <class In, class In2, class Comp, class Proj1, class Proj2>
inline constexpr bool k_compares_bytes =
    k_is_plain<In, Comp, Proj1, Proj2>&& k_is_plain<In2, Comp>&& In::k_in_memory&& In2::k_in_memory &&
    !std::is_floating_point_v<typename In::Value> && std::is_same_v<Comp, Equal> &&
    std::is_same_v<typename In::Value, typename In2::Value>;

/// Returns the least i below `count`, or any, where the inputs differ.
template <Hit k_hit, class Policy, class In, class In2, class Comp, class Proj1, class Proj2>
std::size_t first_difference(const Policy& policy, std::size_t count, const In& in, const In2& two,
                             Comp& comp, Proj1& proj1, Proj2& proj2) {
  using Value = typename In::Value;
  constexpr bool k_plain = k_is_plain<In, Comp, Proj1, Proj2> && k_is_plain<In2, Comp>;
  const auto differ = [&](std::size_t i) -> bool {
    return !comp(invoke(proj1, in[i]), invoke(proj2, two[i]));
  };
  if constexpr (k_compares_bytes<In, In2, Comp, Proj1, Proj2>)
    return first_plain<k_hit>(policy, count, differ, [&](std::size_t begin, std::size_t end) {
      return !std::equal(in.at(begin), in.at(end), two.at(begin)); // compares bytes
    });
  else
    return first_index<k_hit, k_plain, Value>(policy, count, differ);
}

template <class Policy, class In, class In2>
[[gnu::noinline]] bool equal_with_care(Passed<Policy> policy, call_site where, In in, In2 two) {
  Equal comp;
  Identity same;
  return first_difference<Hit::any>(policy.at(where), in.count, in, two, comp, same, same) == in.count;
}

struct EqualRanges : Placed {
  using Comparison = Equal;
  template <class Policy, class In, class... Rest>
  bool operator()(const Policy& policy, const In& in, Rest&&... rest) const {
    return with_second<SecondEnd::is_that_of_the_first>(
        in.count,
        [&]<class In2, class Comp = Equal, class Proj1 = Identity, class Proj2 = Identity>(
            const In2& two, Comp comp = {}, Proj1 proj1 = {}, Proj2 proj2 = {}) {
          if constexpr (check_comparison_of_two<Comp, In, In2, Proj1, Proj2>()) {
            if (in.count != two.count) return false;
            if constexpr (k_compares_bytes<In, In2, Comp, Proj1, Proj2>) {
              if (in.count <= k_plain_at_once && policy.is_plain()) [[likely]]
                return std::equal(in.at(0), in.at(in.count), two.at(0));
              return equal_with_care<Policy, In, In2>(policy, where, in, two);
            } else {
              return first_difference<Hit::any>(policy.at(where), in.count, in, two, comp, proj1, proj2) ==
                     in.count;
            }
          }
          return false;
        },
        std::forward<Rest>(rest)...);
  }
};

/// The first place where the inputs differ, in both.
struct Mismatch : Finder {
  using Comparison = Equal;
  template <class Policy, class In, class... Rest>
  auto operator()(const Policy& policy, const In& in, Rest&&... rest) const {
    return with_second<SecondEnd::is_that_of_the_first>(
        in.count,
        [&]<class In2, class Comp = Equal, class Proj1 = Identity, class Proj2 = Identity>(
            const In2& two, Comp comp = {}, Proj1 proj1 = {}, Proj2 proj2 = {}) {
          const std::size_t count = least(in.count, two.count);
          std::size_t i = count;
          if constexpr (check_comparison_of_two<Comp, In, In2, Proj1, Proj2>())
            i = first_difference<Hit::first>(policy, count, in, two, comp, proj1, proj2);
          return std::pair{in.at(i), two.at(i)};
        },
        std::forward<Rest>(rest)...);
  }
};

struct LexicographicalCompare {
  template <class Policy, class In, class... Rest>
  bool operator()(const Policy& policy, const In& in, Rest&&... rest) const {
    return with_second<SecondEnd::is_needed>(
        in.count,
        [&]<class In2, class Comp = Less, class Proj1 = Identity, class Proj2 = Identity>(
            const In2& two, Comp comp = {}, Proj1 proj1 = {}, Proj2 proj2 = {}) {
          if constexpr (check_comparison_of_two<Comp, In, In2, Proj1, Proj2>()) {
            const std::size_t count = least(in.count, two.count);
            if constexpr (std::is_same_v<Comp, Less> && !std::is_floating_point_v<typename In::Value> &&
                          k_is_plain<In, Less, Proj1, Proj2> && k_is_plain<In2, Less> &&
                          std::is_same_v<typename In::Value, typename In2::Value>) {
              Equal equal;
              const std::size_t i = first_difference<Hit::first>(policy, count, in, two, equal, proj1, proj2);
              return i == count ? in.count < two.count : comp(in[i], two[i]);
            }
            const auto is_less = [&](std::size_t i) -> bool {
              return comp(invoke(proj1, in[i]), invoke(proj2, two[i]));
            };
            constexpr bool k_plain = k_is_plain<In, Comp, Proj1, Proj2> && k_is_plain<In2, Comp>;
            const std::size_t i = first_index<Hit::first, k_plain, typename In::Value>(
                policy, count, [&](std::size_t k) -> bool {
                  return is_less(k) || comp(invoke(proj2, two[k]), invoke(proj1, in[k]));
                });
            return i == count ? in.count < two.count : is_less(i);
          }
          return false;
        },
        std::forward<Rest>(rest)...);
  }
};

/// The first place where the second input begins in the first one.
struct SearchRange : Finder {
  using Comparison = Equal;
  template <class Policy, class In, class... Rest>
  auto operator()(const Policy& policy, const In& in, Rest&&... rest) const {
    return with_second<SecondEnd::is_needed>(
        in.count,
        [&]<class In2, class Comp = Equal, class Proj1 = Identity, class Proj2 = Identity>(
            const In2& two, Comp comp = {}, Proj1 proj1 = {}, Proj2 proj2 = {}) {
          std::size_t found = in.count;
          if constexpr (check_comparison_of_two<Comp, In, In2, Proj1, Proj2>()) {
            if (two.count > in.count) return in.at(in.count);
            const std::size_t places = in.count - two.count + 1;
            found = first_index<Hit::first, false, typename In::Value>(policy, places, [&](std::size_t i) {
              std::size_t k = 0;
              while (k < two.count && comp(invoke(proj1, in[i + k]), invoke(proj2, two[k]))) ++k;
              return k == two.count;
            });
            if (found == places) found = in.count;
          }
          return in.at(found);
        },
        std::forward<Rest>(rest)...);
  }
};

/// The first element that is equal to the next one.
struct AdjacentFind : Finder {
  using Comparison = Equal;
  template <class Policy, class In, class Comp = Equal, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, Comp comp = {}, Proj proj = {}) const {
    if constexpr (check_comparison_of_two<Comp, In, In, Proj, Proj>()) {
      const std::size_t pairs = in.count == 0 ? 0 : in.count - 1;
      const std::size_t i = first_index<Hit::first, k_is_plain<In, Comp, Proj>, typename In::Value>(
          policy, pairs,
          [&](std::size_t k) -> bool { return comp(invoke(proj, in[k]), invoke(proj, in[k + 1])); });
      return in.at(i == pairs ? in.count : i);
    } else {
      return in.at(in.count);
    }
  }
};

/// Returns the number of the first element that is less than its predecessor.
template <Hit k_hit, class Policy, class In, class Comp, class Proj>
std::size_t first_unsorted(const Policy& policy, const In& in, Comp& comp, Proj& proj) {
  if constexpr (check_comparison<Comp, In, Proj>()) {
    const std::size_t pairs = in.count == 0 ? 0 : in.count - 1;
    const std::size_t i = first_index<k_hit, k_is_plain<In, Comp, Proj>, typename In::Value>(
        policy, pairs,
        [&](std::size_t k) -> bool { return comp(invoke(proj, in[k + 1]), invoke(proj, in[k])); });
    return i == pairs ? in.count : i + 1;
  } else {
    return 0;
  }
}
struct IsSorted {
  template <class Policy, class In, class Comp = Less, class Proj = Identity>
  bool operator()(const Policy& policy, const In& in, Comp comp = {}, Proj proj = {}) const {
    return first_unsorted<Hit::any>(policy, in, comp, proj) == in.count;
  }
};
struct IsSortedUntil : Finder {
  template <class Policy, class In, class Comp = Less, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, Comp comp = {}, Proj proj = {}) const {
    return in.at(first_unsorted<Hit::first>(policy, in, comp, proj));
  }
};

} // namespace detail

/// equal(a, b[, eq]): returns whether both inputs have as many elements, which are equal pair by pair. Up to
/// n comparisons, in no order.
inline constexpr detail::Entry<detail::EqualRanges> equal{};
/// mismatch(a, b[, eq]): returns the first place where the inputs differ, in both. Some tiles behind it may
/// be compared, too.
inline constexpr detail::Entry<detail::Mismatch> mismatch{};
/// lexicographical_compare(a, b[, less]): returns whether a stands before b in a dictionary, by the first
/// difference. Some tiles behind it may be compared, too.
inline constexpr detail::Entry<detail::LexicographicalCompare> lexicographical_compare{};
/// search(in, pattern[, eq]): returns the first place where the pattern begins; the end if it does not occur.
/// Up to n m comparisons for a pattern of m elements.
inline constexpr detail::Entry<detail::SearchRange> search{};
/// adjacent_find(in[, eq]): returns the first element that equals the next one; the end if there is none. Up
/// to n - 1 comparisons.
inline constexpr detail::Entry<detail::AdjacentFind> adjacent_find{};
/// is_sorted(in[, less]): returns whether no element is less than its predecessor. Up to n - 1 comparisons,
/// in no order.
inline constexpr detail::Entry<detail::IsSorted> is_sorted{};
/// is_sorted_until(in[, less]): returns the first element that is less than its predecessor; the end if there
/// is none. Some tiles behind it may be compared, too.
inline constexpr detail::Entry<detail::IsSortedUntil> is_sorted_until{};

} // namespace v1
} // namespace wstree
