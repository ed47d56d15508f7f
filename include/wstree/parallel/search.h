// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// find_first (find_if), find, find_any, any_of, all_of, none_of
// Exceptions, stops and thread-safety: README.md#what-is-promised
#pragma once

#include "wstree/parallel/entry.h"
#include "wstree/parallel/second_input.h"
#include "wstree/parallel/tile_run.h"

#include <atomic>
#include <cstddef>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

inline constexpr double k_search_worth_us = 6;
/// Duration of a tile: each member searches at most one tile behind a hit in vain.
inline constexpr double k_search_tile_us = 10;

/// The hit that a search returns: the first hit, or any hit.
enum class Hit { first, any };

/// Returns the number of the element that pred is true of: the first one, or any; in.count if there is none.
/// `unclocked`: see start_inline().
template <Hit k_hit, class Policy, class In, class Pred>
std::size_t search(const Policy& policy, const In& in, Pred&& pred, std::size_t unclocked = 2) {
  std::size_t found = in.count;
  const auto look = [&](std::size_t begin, std::size_t end) {
    std::size_t i = begin;
    for (; end - i >= 4; i += 4) { // compilers do not unroll loops that may end early
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
  const Start start = start_inline(
      policy, in.count, k_search_worth_us,
      [&](std::size_t begin, std::size_t end) {
        found = look(begin, end);
        return found == in.count;
      },
      Alone::goes_on, unclocked);
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
        // An exception thrown on the left counts only if the first hit is wanted.
        if (verdict_.begin(k_hit == Hit::first ? current_ : 0)) {
          found_ = hit;
          verdict_.forget_exception();
          verdict_.settle();
        }
        return;
      }
    }
  };
  run_tiles(policy, tiling, verdict, k_all_members, [&] {
    return Member{look, start.done, in.count, found, verdict};
  });
  verdict.finish();
  return found;
}

/// Numbers in memory that are compared as the language does: some take less than a look at the clock.
template <class In, class Function, class... Others>
inline constexpr bool
    k_is_plain = std::is_scalar_v<typename In::Value>&& std::is_lvalue_reference_v<typename In::Reference> &&
                 (std::is_same_v<Function, Equal> ||
                  std::is_same_v<Function, Less>)&&(std::is_same_v<Others, Identity>&&...);

template <std::size_t k_bytes> struct BitsOf { using type = unsigned; };
template <> struct BitsOf<1> { using type = unsigned char; };
template <> struct BitsOf<2> { using type = unsigned short; };

/// Returns whether is_hit(i) is true for one of k_at_once numbers from i on, without a branch for each and
/// with bits as wide as elements, so that compilers make vectors at -O2, too.
template <std::size_t k_bytes, std::size_t k_at_once, class IsHit>
bool has_hit_at_once(std::size_t i, const IsHit& is_hit) {
  using Bits = typename BitsOf<k_bytes>::type;
  Bits hits = 0;
  for (std::size_t k = 0; k < k_at_once; ++k) hits = static_cast<Bits>(hits | (is_hit(i + k) ? 1 : 0));
  return hits != 0;
}
/// Returns whether is_hit(i) is true for an i in [begin, end), of which each looks at elements of k_bytes.
/// Vectors of eight bytes are not compared by all processors.
template <std::size_t k_bytes, class IsHit>
bool has_hit(std::size_t begin, std::size_t end, const IsHit& is_hit) {
  std::size_t i = begin;
  if constexpr (k_bytes < 8) {
    constexpr std::size_t k_many = 64, k_few = 16;
    for (; end - i >= k_many; i += k_many)
      if (has_hit_at_once<k_bytes, k_many>(i, is_hit)) return true;
    for (; end - i >= k_few; i += k_few)
      if (has_hit_at_once<k_bytes, k_few>(i, is_hit)) return true;
  } else {
    for (; end - i >= 4; i += 4)
      if (is_hit(i) || is_hit(i + 1) || is_hit(i + 2) || is_hit(i + 3)) return true;
  }
  for (; i < end; ++i)
    if (is_hit(i)) return true;
  return false;
}

/// Returns the least i below `count`, or any, for which is_hit(i) holds; `count` if there is none.
/// has_any(begin, end) returns whether there is one. Neither calls functions of the program.
template <Hit k_hit, class Policy, class IsHit, class HasAny>
std::size_t first_plain(const Policy& policy, std::size_t count, const IsHit& is_hit, const HasAny& has_any) {
  constexpr std::size_t k_compared = 1024;
  if (count <= k_plain_at_once && policy.is_plain()) {
    if (k_hit == Hit::any) return has_any(std::size_t{0}, count) ? 0 : count;
    std::size_t i = 0;
    while (i < count && !has_any(i, least(count, i + k_compared))) i = least(count, i + k_compared);
    while (i < count && !is_hit(i)) ++i;
    return i;
  }
  const auto has_in = [&](std::size_t block) {
    const std::size_t begin = block * k_compared, end = least(count, begin + k_compared);
    if (has_any(begin, end)) return true;
    policy.advance(end - begin - 1); // the search counts the block as one
    return false;
  };
  const std::size_t blocks = count / k_compared + (count % k_compared != 0);
  const std::size_t block =
      search<k_hit>(policy, Elements<std::size_t>{0, blocks}, has_in, k_plain_at_once / k_compared);
  std::size_t i = least(count, block * k_compared);
  while (i < count && !is_hit(i)) ++i;
  return i;
}

/// Returns the number of the first hit or of any hit, likewise; is_hit() looks at one T or two, and is plain
/// or calls functions of the program.
template <Hit k_hit, bool k_plain, class T, class Policy, class IsHit>
std::size_t first_index(const Policy& policy, std::size_t count, IsHit&& is_hit) {
  if constexpr (k_plain)
    return first_plain<k_hit>(policy, count, is_hit, [&](std::size_t begin, std::size_t end) {
      return has_hit<sizeof(T)>(begin, end, is_hit);
    });
  else
    return search<Hit::first>(policy, Elements<std::size_t>{0, count},
                              is_hit); // an exception before it counts
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
    if constexpr (k_is_plain<In, Equal, Proj> && std::is_scalar_v<T>)
      return in.at(first_index<Hit::first, true, typename In::Value>(
          policy, in.count, [&in, own = value](std::size_t i) -> bool { return in[i] == own; }));
    else
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

/// k_of: the answer of the predicate that decides; k_then: the decision.
template <bool k_of, bool k_then> struct Quantifier {
  template <class Policy, class In, class Pred, class Proj = Identity>
  bool operator()(const Policy& policy, const In& in, Pred pred, Proj proj = {}) const {
    static_assert(is_predicate<Pred, In, Proj>(),
                  "wstree: the predicate has to take an element, or its projection, and say yes or no");
    // A sequential call ends with an exception before the first hit.
    const std::size_t hit = search<Hit::first>(policy, in, [&](auto&& e) {
      return static_cast<bool>(invoke(pred, invoke(proj, std::forward<decltype(e)>(e)))) == k_of;
    });
    return hit != in.count ? k_then : !k_then;
  }
};

} // namespace detail

/// find_first(in, pred): returns the first element that pred is true of; the end if there is none. pred may
/// be called for some tiles behind it, too.
inline constexpr detail::Entry<detail::FindFirst> find_first{};
/// find_first by the name of the standard.
inline constexpr detail::Entry<detail::FindFirst> find_if{};
/// find(in, value): returns the first element equal to the value; the end if there is none. Some tiles behind
/// it may be compared, too.
inline constexpr detail::Entry<detail::Find> find{};
/// find_any(in, pred): returns any element that pred is true of; the end if there is none.
inline constexpr detail::Entry<detail::FindAny> find_any{};
/// any_of(in, pred): returns whether pred is true of an element. Ends soon after the first hit.
inline constexpr detail::Entry<detail::Quantifier<true, true>> any_of{};
/// all_of(in, pred): returns whether pred is true of all elements. Ends soon after the first that fails.
inline constexpr detail::Entry<detail::Quantifier<false, false>> all_of{};
/// none_of(in, pred): returns whether pred is true of no element. Ends soon after the first hit.
inline constexpr detail::Entry<detail::Quantifier<true, false>> none_of{};

} // namespace v1
} // namespace wstree
