// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// find_first (find_if), find, find_any, any_of, all_of, none_of
#pragma once

#include "wstree/parallel/entry.h"
#include "wstree/parallel/tile_run.h"

#include <atomic>
#include <cstddef>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

inline constexpr double k_search_worth_us = 6;
/// A tile: so much is searched in vain at most by each member behind a hit.
inline constexpr double k_search_tile_us = 10;

/// Whether an early hit on the right is one, too.
enum class Hit { first, any };

/// The number of the element that pred is true of: the first one, or any; in.count if there is none.
template <Hit k_hit, class Policy, class In, class Pred>
std::size_t search(const Policy& policy, const In& in, Pred&& pred) {
  std::size_t found = in.count;
  const auto look = [&](std::size_t begin, std::size_t end) {
    std::size_t i = begin;
    for (; end - i >= 4; i += 4) { // compilers do not unroll what they may leave early
      if (pred(in[i])) return i;
      if (pred(in[i + 1])) return i + 1;
      if (pred(in[i + 2])) return i + 2;
      if (pred(in[i + 3])) return i + 3;
    }
    for (; i < end; ++i) {
      if (pred(in[i])) return i;
    }
    policy.advance(end - begin);
    return in.count;
  };
  const Start start =
      start_inline(policy, in.count, k_search_worth_us, [&](std::size_t begin, std::size_t end) {
        found = look(begin, end);
        return found == in.count;
      });
  if (found != in.count || start.done == in.count) return found;

  const std::size_t rest = in.count - start.done;
  const std::size_t first = least(start.elements_in(k_search_tile_us), rest / (4 * most_members(policy)));
  const Tiling tiling = tiling_of(policy, rest, first, rest);
  Verdict verdict;
  struct Member {
    decltype(look)& look_;
    std::size_t offset_, none_;
    std::size_t& found_;
    Verdict& verdict_;
    std::size_t current_ = 0;

    std::size_t current() const noexcept { return current_; }
    bool finish() const noexcept { return false; }
    void operator()(const Tile& tile) {
      current_ = tile.number;
      const std::size_t size = tile.end - tile.begin, pieces = least(size, std::size_t{4});
      for (std::size_t i = 0; i < pieces && !verdict_.is_beyond(current_); ++i) {
        const std::size_t hit =
            look_(offset_ + tile.begin + size * i / pieces, offset_ + tile.begin + size * (i + 1) / pieces);
        if (hit == none_) continue;
        // An exception thrown on the left counts only if the element on the left is asked for.
        if (verdict_.begin(k_hit == Hit::first ? current_ : 0)) {
          found_ = hit;
          verdict_.forget_exception();
          verdict_.settle();
        }
        return;
      }
    }
  };
  run_tiles(policy, tiling, verdict, [&] { return Member{look, start.done, in.count, found, verdict}; });
  verdict.finish();
  return found;
}

struct FindFirst : Finder {
  template <class Policy, class In, class Pred, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, Pred pred, Proj proj = {}) const {
    static_assert(is_predicate<Pred, In, Proj>(),
                  "wstree: the predicate has to take an element, or its projection, and say yes or no");
    return in.at(search<Hit::first>(policy, in, [&](auto&& e) -> bool {
      return invoke(pred, invoke(proj, std::forward<decltype(e)>(e)));
    }));
  }
};

struct Find : Finder {
  template <class Policy, class In, class T, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, const T& value, Proj proj = {}) const {
    return FindFirst{}(
        policy, in, [&](const auto& e) { return e == value; }, std::move(proj));
  }
};

struct FindAny : Finder {
  template <class Policy, class In, class Pred, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, Pred pred, Proj proj = {}) const {
    static_assert(is_predicate<Pred, In, Proj>(),
                  "wstree: the predicate has to take an element, or its projection, and say yes or no");
    return in.at(search<Hit::any>(policy, in, [&](auto&& e) -> bool {
      return invoke(pred, invoke(proj, std::forward<decltype(e)>(e)));
    }));
  }
};

/// k_of: the answer of the predicate that decides; k_then: what is decided.
template <bool k_of, bool k_then> struct Quantifier {
  template <class Policy, class In, class Pred, class Proj = Identity>
  bool operator()(const Policy& policy, const In& in, Pred pred, Proj proj = {}) const {
    static_assert(is_predicate<Pred, In, Proj>(),
                  "wstree: the predicate has to take an element, or its projection, and say yes or no");
    const std::size_t hit = search<Hit::any>(policy, in, [&](auto&& e) {
      return static_cast<bool>(invoke(pred, invoke(proj, std::forward<decltype(e)>(e)))) == k_of;
    });
    return hit != in.count ? k_then : !k_then;
  }
};

} // namespace detail

inline constexpr detail::Entry<detail::FindFirst> find_first{};
/// The same by the name of the standard.
inline constexpr detail::Entry<detail::FindFirst> find_if{};
inline constexpr detail::Entry<detail::Find> find{};
inline constexpr detail::Entry<detail::FindAny> find_any{};
inline constexpr detail::Entry<detail::Quantifier<true, true>> any_of{};
inline constexpr detail::Entry<detail::Quantifier<false, false>> all_of{};
inline constexpr detail::Entry<detail::Quantifier<true, false>> none_of{};

} // namespace v1
} // namespace wstree
