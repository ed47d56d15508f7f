// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// histogram, group_by
#pragma once

#include "wstree/parallel/entry.h"
#include "wstree/parallel/extrema.h"
#include "wstree/parallel/sort.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace detail {

template <class In, class BinOf> struct HistogramFolder {
  using Value = std::vector<std::size_t>;
  const In& in;
  std::size_t bins;
  BinOf& bin_of;

  void start(void* place, std::uint64_t begin, std::uint64_t end) {
    Value counts(bins);
    extend(counts, begin, end);
    ::new (place) Value(std::move(counts));
  }
  void extend(Value& counts, std::uint64_t begin, std::uint64_t end) {
    std::size_t* const to = counts.data();
    for (std::size_t i = begin; i < end; ++i) {
      const auto bin = static_cast<std::size_t>(invoke(bin_of, in[i]));
      if (bin < bins) ++to[bin];
    }
  }
  void combine(Value& left, const Value& right) noexcept {
    for (std::size_t bin = 0; bin < bins; ++bin) left[bin] += right[bin];
  }
};

/// Counts of `bins`; an element for which bin_of() returns more is not counted.
struct Histogram : Called {
  template <class Policy, class In, index Number, class BinOf = Identity>
  std::vector<std::size_t> operator()(const Policy& policy, const In& in, Number number,
                                      BinOf bin_of = {}) const {
    const auto bins = static_cast<std::size_t>(number);
    static_assert(
        std::is_invocable_v<BinOf&, typename In::Reference>,
        "wstree: the last argument of histogram() takes an element and returns the number of a bin");
    HistogramFolder<In, BinOf> folder{in, bins, bin_of};
    Result<std::vector<std::size_t>> result;
    if (in.count != 0) fold_tree(policy, in.count, folder, result, where);
    return result.has_value() ? std::move(result.value()) : std::vector<std::size_t>(bins);
  }
};

/// Groups the elements by key(element): groups in the order of keys, elements in their order in each.
struct GroupBy : Called {
  template <class Policy, class In, class Key, class Comp = Less>
  auto operator()(const Policy& policy, const In& in, Key key, Comp comp = {}) const {
    using Value = typename In::Value;
    using KeyValue = std::remove_cvref_t<decltype(invoke(key, std::declval<const Value&>()))>;
    std::vector<Value> sorted;
    sorted.reserve(in.count);
    for (std::size_t i = 0; i < in.count; ++i) sorted.push_back(in[i]);
    auto less = [&](const Value& a, const Value& b) -> bool { return comp(invoke(key, a), invoke(key, b)); };
    sort_elements<Stability::stable>(policy, sorted.begin(), sorted.size(), less);
    std::vector<std::pair<KeyValue, std::vector<Value>>> groups;
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
      while (++end < sorted.size() && !less(sorted[begin], sorted[end])) {
      }
      groups.emplace_back(invoke(key, std::as_const(sorted[begin])), std::vector<Value>());
      std::vector<Value>& group = groups.back().second;
      group.reserve(end - begin);
      for (std::size_t i = begin; i < end; ++i) group.push_back(std::move(sorted[i]));
    }
    return groups;
  }
};

} // namespace detail

/// histogram([policy,] elements, bins [, bin of an element]) -> a vector of counts
inline constexpr detail::Entry<detail::Histogram> histogram{};
/// group_by([policy,] elements, key [, comparison]) -> a vector of pairs: a key and a vector of its elements
inline constexpr detail::Entry<detail::GroupBy> group_by{};

} // namespace v1
} // namespace wstree
