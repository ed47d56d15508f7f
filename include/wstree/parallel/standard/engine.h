// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backend of libstdc++'s parallel algorithms, as folds, scans and tiles of this library. The algorithms
// hand over functions for a piece [i, j) of their elements, and decide nothing about pieces.
#pragma once

#include "wstree/parallel/fold.h"
#include "wstree/parallel/join.h"
#include "wstree/parallel/scan.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Returns the policy of the calls. Their place in the source is not known: costs are remembered by the types
/// of their functions.
inline par standard_policy() noexcept { return par("std::execution"); }

/// True if elements share a word with their neighbours, so that no two threads may write them at a time.
template <class Iterator>
inline constexpr bool k_shares_words = std::is_same_v<Iterator, std::vector<bool>::iterator>;
template <class Iterator>
inline constexpr bool k_shares_words<std::reverse_iterator<Iterator>> = k_shares_words<Iterator>;

/// The value of n > 0 units. `least`: of a piece.
template <class Folder>
void fold_standard(std::uint64_t n, Folder& folder, Result<typename Folder::Value>& result,
                   std::uint64_t least = 1) {
  fold_tree(standard_policy().min_chunk(least), n, folder, result, {});
}

/// The base of all folders below.
struct StandardFolder {
  static constexpr std::uint64_t k_targets = core::tuning::k_standard_targets;
};

/// `body(i, j)` for pieces of [first, last).
template <class Index, class Body> struct PieceFolder : StandardFolder {
  using Value = Nothing;
  const Body& body;
  Index first;

  void start(void*, std::uint64_t begin, std::uint64_t end) {
    body(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end));
  }
  void extend(Nothing&, std::uint64_t begin, std::uint64_t end) { start(nullptr, begin, end); }
  static void combine(Nothing&, Nothing&) noexcept {}
};

template <class Index, class Body> void for_pieces(Index first, Index last, const Body& body) {
  if (!(first < last)) return;
  if constexpr (k_shares_words<Index>) return body(first, last);
  const auto n = static_cast<std::uint64_t>(last - first);
  using Folder = PieceFolder<Index, Body>;
  Folder folder{{}, body, first};
  Result<Nothing> result;
  fold_standard(n, folder, result);
}

/// `body(i, j, value)` -> value continues a value by the elements of a piece.
template <class T, class Index, class Body, class Combine> struct ContinuedFolder : StandardFolder {
  using Value = T;
  const T& identity;
  const Body& body;
  const Combine& combine_two;
  Index first;

  Index at(std::uint64_t i) const { return first + static_cast<std::ptrdiff_t>(i); }
  void start(void* place, std::uint64_t begin, std::uint64_t end) {
    ::new (place) T(body(at(begin), at(end), identity));
  }
  void extend(T& value, std::uint64_t begin, std::uint64_t end) {
    value = body(at(begin), at(end), std::move(value));
  }
  void combine(T& left, T& right) { left = combine_two(left, right); }
};

template <class T, class Index, class Body, class Combine>
T fold_pieces(Index first, Index last, const T& identity, const Body& body, const Combine& combine) {
  if (!(first < last)) return identity;
  const auto n = static_cast<std::uint64_t>(last - first);
  using Folder = ContinuedFolder<T, Index, Body, Combine>;
  Folder folder{{}, identity, body, combine, first};
  Result<T> result;
  fold_standard(n, folder, result);
  return std::move(result.value());
}

/// A sum of made elements, of which a single one may be no T: units are pairs of elements, and the last unit
/// may have three. The first piece begins with the initial value. A function of the program may change when
/// it is called, so pieces call copies.
template <class T, class Index, class Make, class Combine, class Sum> struct PairFolder : StandardFolder {
  using Value = T;
  T& init;
  const Make& make;
  const Combine& combine_two;
  const Sum& sum; // (i, j, value) -> value
  Index first, last;
  std::uint64_t units;

  Index at(std::uint64_t unit) const {
    return unit == units ? last : first + static_cast<std::ptrdiff_t>(2 * unit);
  }
  void start(void* place, std::uint64_t begin, std::uint64_t end) {
    const Index i = at(begin);
    if (begin == 0) {
      ::new (place) T(sum(i, at(end), std::move(init)));
      return;
    }
    Make make_one = make;
    Combine combine_one = combine_two;
    ::new (place) T(sum(i + 2, at(end), T(combine_one(make_one(i), make_one(i + 1)))));
  }
  void extend(T& value, std::uint64_t begin, std::uint64_t end) {
    value = sum(at(begin), at(end), std::move(value));
  }
  void combine(T& left, T& right) {
    Combine combine_one = combine_two;
    left = combine_one(left, right);
  }
};

template <class T, class Index, class Make, class Combine, class Sum>
T sum_in_pairs(Index first, Index last, const Make& make, T init, const Combine& combine, const Sum& sum) {
  const auto n = last - first;
  if (n < 2) return sum(first, last, std::move(init));
  const auto units = static_cast<std::uint64_t>(n) / 2;
  using Folder = PairFolder<T, Index, Make, Combine, Sum>;
  Folder folder{{}, init, make, combine, sum, first, last, units};
  Result<T> result;
  fold_standard(units, folder, result);
  return std::move(result.value());
}

/// The sums of a scan: `reduce(i, j, sum)` -> sum adds elements up, `scan(i, j, sum)` -> sum also
/// writes results.
template <class T, class Index, class Make, class Combine, class Reduce, class Scan> struct StandardSums {
  using Sum = T;
  static constexpr std::size_t k_unit = 1, k_at_once = 2;
  Index n;
  const Make& make;
  const T& init;
  const Combine& combine;
  const Reduce& reduce;
  const Scan& scan;
  std::optional<T>& total;

  std::size_t units() const noexcept { return static_cast<std::size_t>(n); }
  static std::size_t elements(std::size_t begin, std::size_t end) noexcept { return end - begin; }
  T start(std::size_t end) const { return write(init, 0, end); }
  T sum(std::size_t begin, std::size_t end) const {
    Make make_one = make;
    T first(make_one(static_cast<Index>(begin)));
    return reduce(static_cast<Index>(begin + 1), static_cast<Index>(end), std::move(first));
  }
  T join(const T& left, const T& right) const {
    Combine combine_one = combine;
    return combine_one(left, right);
  }
  T write(T before, std::size_t begin, std::size_t end) const {
    T after = scan(static_cast<Index>(begin), static_cast<Index>(end), std::move(before));
    if (end == units()) total.emplace(after);
    return after;
  }
  T write_summed(T before, std::size_t begin, std::size_t end) const {
    return write(std::move(before), begin, end);
  }
};

template <class T, class Index, class Make, class Combine, class Reduce, class Scan>
T scan_pieces(Index n, const Make& make, T init, const Combine& combine, const Reduce& reduce,
              const Scan& write) {
  if (n <= 0) return init;
  using Sums = StandardSums<T, Index, Make, Combine, Reduce, Scan>;
  std::optional<T> total;
  scan(standard_policy(), Sums{n, make, init, combine, reduce, write, total}, sizeof(T));
  return std::move(*total);
}

/// Pieces of a first pass, in order, each with its result.
template <class T, class Index> struct RecordedPiece {
  Index begin, length;
  T value;
};
template <class T, class Index, class Reduce> struct RecordingFolder : StandardFolder {
  using Piece = RecordedPiece<T, Index>;
  using Value = std::vector<Piece>;
  const Reduce& reduce;

  /// Apart: among the fold's variables gcc keeps a sum in memory, and additions wait for each other there.
  [[gnu::noinline]] Piece piece(std::uint64_t begin, std::uint64_t end) const {
    const auto length = static_cast<Index>(end - begin);
    return {static_cast<Index>(begin), length, reduce(static_cast<Index>(begin), length)};
  }
  void start(void* place, std::uint64_t begin, std::uint64_t end) {
    Value pieces;
    pieces.reserve(8);
    pieces.push_back(piece(begin, end));
    ::new (place) Value(std::move(pieces));
  }
  void extend(Value& pieces, std::uint64_t begin, std::uint64_t end) { pieces.push_back(piece(begin, end)); }
  void combine(Value& left, Value& right) { left.insert(left.end(), right.begin(), right.end()); }
};

/// scan_strictly() by a team.
template <class T, class Index, class Reduce, class Combine, class Scan, class Apex>
void scan_strictly_together(Index n, T init, const Reduce& reduce, Combine& combine, const Scan& write,
                            const Apex& apex) {
  const auto elements = static_cast<std::uint64_t>(n);
  RecordingFolder<T, Index, Reduce> folder{{}, reduce};
  Result<std::vector<RecordedPiece<T, Index>>> result;
  // Not more pieces than that: set operations search all elements in each of them, and all of them where the
  // standard library checks its arguments (_GLIBCXX_DEBUG).
  constexpr std::uint64_t k_pieces = 64; // a member's
  fold_standard(elements, folder, result, elements / (k_pieces * most_members(standard_policy())) + 1);
  auto& pieces = result.value();
  for (auto& piece : pieces) {
    T after = combine(init, piece.value);
    piece.value = std::exchange(init, std::move(after));
  }
  apex(init);
  for_pieces(pieces.begin(), pieces.end(), [&](auto piece, auto end) {
    for (; piece != end; ++piece) write(piece->begin, piece->length, piece->value);
  });
}

/// Two passes over the same pieces: `reduce(begin, length)` -> T for each, then `apex(sum of all)`, then
/// `scan(begin, length, sum before)` for each.
template <class T, class Index, class Reduce, class Combine, class Scan, class Apex>
void scan_strictly(Index n, T init, const Reduce& reduce, Combine combine, const Scan& write,
                   const Apex& apex) {
  if (n <= 0) return static_cast<void>(apex(init));
  execute_block(
      t_sites.at(site_key<RecordingFolder<T, Index, Reduce>>({})), static_cast<std::uint64_t>(n),
      [&] {
        apex(combine(init, reduce(Index{0}, n)));
        write(Index{0}, n, std::move(init));
      },
      [&] { scan_strictly_together(n, std::move(init), reduce, combine, write, apex); });
}

} // namespace detail
} // namespace v1
} // namespace wstree
