// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// count, count_if, min_element, max_element, minmax_element
// Exceptions, stops and thread-safety: README.md#what-is-promised
#pragma once

#include "wstree/parallel/entry.h"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Does fold() for a result that does not depend on the cut: all policies are kept.
template <class Policy, class Value, class Chunk, class Combine>
Value fold_exactly(const Policy& policy, std::size_t n, Value init, Chunk chunk, Combine combine,
                   call_site where) {
  auto folder = make_folder(init, chunk, combine, std::size_t{0});
  Result<Value> result;
  if (n != 0) fold_tree(policy, n, folder, result, where);
  return result.has_value() ? result.value() : init;
}

struct CountIf : Called {
  template <class Policy, class In, class Pred, class Proj = Identity>
  std::ptrdiff_t operator()(const Policy& policy, const In& in, Pred pred, Proj proj = {}) const {
    static_assert(is_predicate<Pred, In, Proj>(),
                  "wstree: the predicate has to take an element, or its projection, and say yes or no");
    return fold_exactly(
        policy, in.count, std::ptrdiff_t{0},
        [&](std::ptrdiff_t count, std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i)
            count += static_cast<bool>(invoke(pred, invoke(proj, in[i])));
          return count;
        },
        [](std::ptrdiff_t a, std::ptrdiff_t b) { return a + b; }, where);
  }
};

struct Count : Called {
  template <class Policy, class In, class T, class Proj = Identity>
  std::ptrdiff_t operator()(const Policy& policy, const In& in, const T& value, Proj proj = {}) const {
    return CountIf{*this}(
        policy, in, [&](const auto& e) { return e == value; }, std::move(proj));
  }
};

/// Returns whether Comp compares the projections by Proj of two elements of In.
template <class Comp, class In, class Proj> constexpr bool check_comparison() {
  using Projected = decltype(invoke(std::declval<Proj&>(), std::declval<const typename In::Value&>()));
  static_assert(std::is_invocable_v<Comp&, Projected, Projected>,
                "wstree: the comparison has to take two elements, or their projections; without one, they "
                "have to have a `<`");
  return std::is_invocable_v<Comp&, Projected, Projected>;
}

/// Returns `comp` on the projections by `proj` of two elements of In.
template <class In, class Comp, class Proj> auto by_projection(Comp& comp, Proj& proj) {
  using Element = const typename In::Value&;
  using Projected = decltype(invoke(proj, std::declval<Element>()));
  return [own = HeldCall<Comp, Projected, Projected>{comp}, of = HeldCall<Proj, Element>{proj}](
             const auto& a, const auto& b) -> bool { return own.f(invoke(of.f, a), invoke(of.f, b)); };
}

inline constexpr std::size_t k_nothing = ~std::size_t{0};

/// The number of the best element: before(a, b) returns whether a, which is to the right of the best one b so
/// far, is better. Neighbouring bests are combined in order, so ties are decided by `before` alone.
template <class In, class Before> struct Best {
  const In& in;
  Before& before;

  std::size_t combine(std::size_t left, std::size_t right) const {
    if (left == k_nothing || right == k_nothing) return left == k_nothing ? right : left;
    return before(in[right], in[left]) ? right : left;
  }
  std::size_t improve(std::size_t best, std::size_t begin, std::size_t end) const {
    if (begin == end) return best;
    if (best == k_nothing) best = begin++;
    if constexpr (std::is_scalar_v<typename In::Value>) {
      typename In::Value value = in[best]; // in a register
      for (std::size_t i = begin; i < end; ++i) {
        const typename In::Value next = in[i];
        if (before(next, value)) [[unlikely]] // a guess of the next one is better than a wait for this one
          best = i, value = next;
      }
    } else {
      for (std::size_t i = begin; i < end; ++i) {
        if (before(in[i], in[best])) best = i;
      }
    }
    return best;
  }
};

template <class Policy, class In, class Before>
std::size_t best_of(const Policy& policy, const In& in, Before before, call_site where) {
  const Best<In, Before> best{in, before};
  const std::size_t found = fold_exactly(
      policy, in.count, k_nothing,
      [&](std::size_t b, std::size_t begin, std::size_t end) { return best.improve(b, begin, end); },
      [&](std::size_t left, std::size_t right) { return best.combine(left, right); }, where);
  return found == k_nothing ? in.count : found;
}

struct MinElement : Called, Finder {
  template <class Policy, class In, class Comp = Less, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, Comp comp = {}, Proj proj = {}) const {
    check_comparison<Comp, In, Proj>();
    return in.at(best_of(
        policy, in,
        [&](const auto& right, const auto& left) -> bool {
          return comp(invoke(proj, right), invoke(proj, left));
        },
        where));
  }
};

struct MaxElement : Called, Finder {
  template <class Policy, class In, class Comp = Less, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, Comp comp = {}, Proj proj = {}) const {
    check_comparison<Comp, In, Proj>();
    return in.at(best_of(
        policy, in,
        [&](const auto& right, const auto& left) -> bool {
          return comp(invoke(proj, left), invoke(proj, right));
        },
        where));
  }
};

/// The first of the smallest and, as in the standard, the last of the largest.
struct MinmaxElement : Called, Finder {
  template <class Policy, class In, class Comp = Less, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, Comp comp = {}, Proj proj = {}) const {
    check_comparison<Comp, In, Proj>();
    auto less = [&](const auto& right, const auto& left) -> bool {
      return comp(invoke(proj, right), invoke(proj, left));
    };
    auto not_less = [&](const auto& right, const auto& left) -> bool {
      return !comp(invoke(proj, right), invoke(proj, left));
    };
    const Best<In, decltype(less)> min{in, less};
    const Best<In, decltype(not_less)> max{in, not_less};
    using Pair = std::pair<std::size_t, std::size_t>;
    const Pair found = fold_exactly(
        policy, in.count, Pair{k_nothing, k_nothing},
        [&](Pair best, std::size_t begin, std::size_t end) {
          return Pair{min.improve(best.first, begin, end), max.improve(best.second, begin, end)};
        },
        [&](const Pair& left, const Pair& right) {
          return Pair{min.combine(left.first, right.first), max.combine(left.second, right.second)};
        },
        where);
    if (found.first == k_nothing) return std::pair{in.at(in.count), in.at(in.count)};
    return std::pair{in.at(found.first), in.at(found.second)};
  }
};

} // namespace detail

/// count_if(in, pred): returns the number of elements that pred is true of. n calls of pred, in no order.
inline constexpr detail::Entry<detail::CountIf> count_if{};
/// count(in, value): returns the number of elements equal to the value. n comparisons, in no order.
inline constexpr detail::Entry<detail::Count> count{};
/// min_element(in[, less]): returns the place of the smallest element, of equal ones the first. n - 1
/// comparisons, in no order.
inline constexpr detail::Entry<detail::MinElement> min_element{};
/// max_element(in[, less]): returns the place of the largest element, of equal ones the first. n - 1
/// comparisons, in no order.
inline constexpr detail::Entry<detail::MaxElement> max_element{};
/// minmax_element(in[, less]): returns the places of the first smallest and of the last largest element. 2 n
/// comparisons, in no order.
inline constexpr detail::Entry<detail::MinmaxElement> minmax_element{};

} // namespace v1
} // namespace wstree
