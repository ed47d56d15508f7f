// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that the C++ library and the standard's parallel algorithms have in common, in groups that return all
// that they make of some numbers. What the standard makes of these in sequence is the oracle of both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace wstree::same_calls {

using Numbers = std::vector<std::int64_t>;

/// Both libraries have these, with the names and the arguments of the standard.
// clang-format off
#define WSTREE_SAME_CALLS(CALL) \
  CALL(adjacent_difference) CALL(adjacent_find) CALL(all_of) CALL(any_of) CALL(copy) CALL(copy_if) \
  CALL(count) CALL(count_if) CALL(equal) CALL(exclusive_scan) CALL(fill) CALL(find) CALL(find_if) \
  CALL(for_each) CALL(generate) CALL(inclusive_scan) CALL(inplace_merge) CALL(is_sorted) \
  CALL(is_sorted_until) CALL(lexicographical_compare) CALL(max_element) CALL(merge) CALL(min_element) \
  CALL(minmax_element) CALL(mismatch) CALL(none_of) CALL(nth_element) CALL(partial_sort) CALL(partition) \
  CALL(partition_copy) CALL(reduce) CALL(remove) CALL(remove_if) CALL(reverse) CALL(rotate) CALL(search) \
  CALL(set_difference) CALL(set_intersection) CALL(set_symmetric_difference) CALL(set_union) CALL(sort) \
  CALL(stable_partition) CALL(stable_sort) CALL(transform) CALL(transform_exclusive_scan) \
  CALL(transform_inclusive_scan) CALL(transform_reduce) CALL(unique)
// clang-format on

#define WSTREE_IN_SEQUENCE(name)                                                                             \
  template <class... Arguments> static decltype(auto) name(Arguments&&... arguments) {                       \
    return std::name(std::forward<Arguments>(arguments)...);                                                 \
  }
struct InSequence {
  WSTREE_SAME_CALLS(WSTREE_IN_SEQUENCE)
};

/// All that the calls of a group have made.
class Made {
public:
  void keep(std::int64_t number) { all_.push_back(number); }
  void keep(const Numbers& numbers) { all_.insert(all_.end(), numbers.begin(), numbers.end()); }
  /// Elements in front of `end`, and how many there are.
  template <class Range, class Iterator> void keep_before(const Range& range, Iterator end) {
    keep(static_cast<std::int64_t>(end - range.begin()));
    keep(Numbers(range.begin(), Numbers::const_iterator(end)));
  }
  bool operator==(const Made&) const = default;

private:
  Numbers all_;
};

inline constexpr auto k_even = [](std::int64_t x) { return x % 2 == 0; };
inline constexpr auto k_large = [](std::int64_t x) { return x > 900'000'000; };

/// Places among n elements: none, the ends, borders of blocks, anywhere.
inline std::vector<std::size_t> places_among(std::size_t n) {
  std::vector<std::size_t> places{n};
  for (const std::size_t place :
       {std::size_t{0}, n / 100, n / 3, std::size_t{1023}, std::size_t{1024}, n / 2, n - 1})
    if (place < n) places.push_back(place);
  return places;
}
inline Numbers::iterator nth(Numbers& v, std::size_t n) { return v.begin() + static_cast<std::ptrdiff_t>(n); }

template <class How> Made searches(const How& how, const Numbers& v) {
  Made made;
  const auto search = [&](const Numbers& in, std::int64_t value, auto is_hit) {
    made.keep(how.find(in.begin(), in.end(), value) - in.begin());
    made.keep(how.find_if(in.begin(), in.end(), is_hit) - in.begin());
    made.keep(how.all_of(in.begin(), in.end(), is_hit));
    made.keep(how.any_of(in.begin(), in.end(), is_hit));
    made.keep(how.none_of(in.begin(), in.end(), is_hit));
    made.keep(how.count(in.begin(), in.end(), value));
    made.keep(how.count_if(in.begin(), in.end(), is_hit));
  };
  search(v, 1, k_even);
  search(v, v.empty() ? 0 : v.back(), k_large);
  for (const std::size_t place : places_among(v.size())) { // two hits, the first of which is at `place`
    Numbers in(v.size(), 1);
    for (const std::size_t at : {place, place + 3, std::max(place, v.size() / 2)})
      if (at < in.size()) in[at] = 7;
    search(in, 7, [](std::int64_t x) { return x == 7; });
  }
  made.keep(how.min_element(v.begin(), v.end()) - v.begin());
  made.keep(how.max_element(v.begin(), v.end()) - v.begin());
  made.keep(how.min_element(v.begin(), v.end(), std::greater<>()) - v.begin());
  const auto both = how.minmax_element(v.begin(), v.end());
  made.keep(both.first - v.begin()), made.keep(both.second - v.begin());
  const Numbers middle(v.begin() + std::ptrdiff_t(v.size() / 2), v.end() - std::ptrdiff_t(v.size() / 4));
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{5}, middle.size()}) {
    if (length > middle.size()) continue;
    const auto end = middle.begin() + static_cast<std::ptrdiff_t>(length);
    made.keep(how.search(v.begin(), v.end(), middle.begin(), end) - v.begin());
    made.keep(how.search(middle.begin(), end, v.begin(), v.end()) - middle.begin());
  }
  return made;
}

template <class How> Made comparisons(const How& how, const Numbers& v) {
  Made made;
  const auto compare = [&](const Numbers& a, const Numbers& b) {
    made.keep(how.equal(a.begin(), a.end(), b.begin(), b.end()));
    const auto differ = how.mismatch(a.begin(), a.end(), b.begin(), b.end());
    made.keep(differ.first - a.begin()), made.keep(differ.second - b.begin());
    made.keep(how.lexicographical_compare(a.begin(), a.end(), b.begin(), b.end()));
    made.keep(how.lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), std::greater<>()));
  };
  Numbers up(v.size()), longer = v;
  for (std::size_t i = 0; i < up.size(); ++i) up[i] = static_cast<std::int64_t>(2 * i);
  longer.push_back(0);
  compare(v, longer), compare(longer, v);
  for (const std::size_t place : places_among(v.size())) {
    Numbers other = v, in = up;
    if (place < v.size()) other[place] += place % 2 == 0 ? 1 : -1, in[place] += 2; // equal to the next one
    compare(v, other), compare(other, v);
    made.keep(how.equal(v.begin(), v.end(), other.begin()));
    made.keep(how.adjacent_find(in.begin(), in.end()) - in.begin());
    made.keep(how.adjacent_find(in.begin(), in.end(), std::greater<>()) - in.begin());
    made.keep(how.is_sorted(in.begin(), in.end()));
    if (place < v.size()) in[place] = -5;
    made.keep(how.is_sorted(in.begin(), in.end()));
    made.keep(how.is_sorted(in.begin(), in.end(), std::greater<>()));
    made.keep(how.is_sorted_until(in.begin(), in.end()) - in.begin());
  }
  return made;
}

template <class How> Made writes(const How& how, const Numbers& v) {
  Made made;
  Numbers out(v.size(), -1), a = v;
  how.for_each(a.begin(), a.end(), [](std::int64_t& x) { x = 3 * x + 1; });
  made.keep(a);
  how.transform(v.begin(), v.end(), out.begin(), [](std::int64_t x) { return x * x % 101; });
  made.keep(out);
  how.transform(v.begin(), v.end(), a.begin(), out.begin(), std::minus<>());
  made.keep(out);
  how.adjacent_difference(v.begin(), v.end(), out.begin());
  made.keep(out);
  how.copy(v.begin(), v.end(), out.begin());
  made.keep(out);
  how.fill(out.begin(), out.end(), 5);
  how.generate(a.begin(), a.end(), [] { return 9; });
  made.keep(out), made.keep(a);
  a = v;
  how.reverse(a.begin(), a.end());
  made.keep(a);
  for (const std::size_t left : {std::size_t{0}, v.size() / 3, v.size()})
    made.keep(how.rotate(a.begin(), nth(a, left), a.end()) - a.begin()), made.keep(a);
  return made;
}

template <class How> Made choices(const How& how, const Numbers& v) {
  Made made;
  for (const std::int64_t below : {0, 1, 500, 1'000'000'000}) { // none, few, some, all
    const auto is_small = [below](std::int64_t x) { return x < below; };
    Numbers out(v.size(), -1), rest(v.size(), -1), a = v;
    how.copy_if(v.begin(), v.end(), out.begin(), is_small);
    made.keep(out); // as it was behind the chosen ones
    const auto ends = how.partition_copy(v.begin(), v.end(), out.begin(), rest.begin(), is_small);
    made.keep_before(out, ends.first), made.keep_before(rest, ends.second);
    made.keep(how.stable_partition(a.begin(), a.end(), is_small) - a.begin()), made.keep(a);
    a = v;
    const auto end = how.partition(a.begin(), a.end(), is_small);
    std::sort(a.begin(), end), std::sort(end, a.end());
    made.keep(end - a.begin()), made.keep(a);
    a = v;
    made.keep_before(a, how.remove_if(a.begin(), a.end(), is_small));
  }
  Numbers a = v;
  made.keep_before(a, how.remove(a.begin(), a.end(), std::int64_t{1}));
  a = v;
  for (std::int64_t& x : a) x /= 300;
  made.keep_before(a, how.unique(a.begin(), a.end()));
  return made;
}

/// Sorted by `key`; `place` shows the order of equals.
struct Entry {
  std::int64_t key, place;
  friend bool operator<(const Entry& a, const Entry& b) { return a.key < b.key; }
};
inline std::vector<Entry> entries(const Numbers& keys, std::int64_t below, std::int64_t first = 0) {
  std::vector<Entry> made;
  for (const std::int64_t key : keys) made.push_back({key % below, first++});
  return made;
}
inline Numbers flat(const std::vector<Entry>& all) {
  Numbers made;
  for (const Entry& each : all) made.push_back(each.key), made.push_back(each.place);
  return made;
}

template <class How> Made sorts(const How& how, const Numbers& v) {
  Made made;
  for (Numbers a = v; const bool is_sorted_before : {false, true}) { // and once more what is sorted already
    how.sort(a.begin(), a.end());
    made.keep(a), made.keep(is_sorted_before);
  }
  Numbers down = v;
  how.sort(down.begin(), down.end(), std::greater<>());
  made.keep(down);
  for (const std::size_t place : {std::size_t{0}, v.size() / 9, v.size() / 2, v.size() - 1, v.size()}) {
    if (place > v.size()) continue;
    Numbers a = v;
    how.partial_sort(a.begin(), nth(a, place), a.end());
    std::sort(nth(a, place), a.end());
    made.keep(a);
    a = v;
    how.nth_element(a.begin(), nth(a, place), a.end());
    if (place < v.size()) made.keep(a[place]);
    std::sort(a.begin(), nth(a, place)), std::sort(nth(a, place), a.end());
    made.keep(a);
  }
  return made;
}

template <class How> Made stable_sorts(const How& how, const Numbers& v) {
  Made made;
  std::vector<Entry> all = entries(v, 10);
  how.stable_sort(all.begin(), all.end());
  made.keep(flat(all));
  for (const std::size_t middle : {std::size_t{0}, v.size() / 7, v.size() / 2, v.size()}) {
    all = entries(v, 500);
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(middle);
    std::stable_sort(all.begin(), at), std::stable_sort(at, all.end());
    std::vector<Entry> out(all.size());
    how.merge(all.begin(), at, at, all.end(), out.begin());
    made.keep(flat(out));
    how.inplace_merge(all.begin(), at, all.end());
    made.keep(flat(all));
  }
  return made;
}

template <class How> Made sets(const How& how, const Numbers& v) {
  Made made;
  const auto third = static_cast<std::ptrdiff_t>(v.size() / 3 + (v.empty() ? 0 : 1));
  for (const std::int64_t shift : {0, 1, 2'000'000'000}) { // of keys that are partly the same, or all larger
    std::vector<Entry> a = entries(v, 2000),
                       b = entries(Numbers(v.begin(), v.begin() + third), 2100, 1 << 30);
    for (Entry& each : b) each.key = each.key * 3 / 2 + shift;
    std::stable_sort(a.begin(), a.end()), std::stable_sort(b.begin(), b.end());
    const auto keep = [&](const std::vector<Entry>& out, auto end) {
      made.keep(flat(std::vector<Entry>(out.begin(), std::vector<Entry>::const_iterator(end))));
    };
    for (const bool is_turned : {false, true}) {
      const std::vector<Entry>&x = is_turned ? b : a, &y = is_turned ? a : b;
      std::vector<Entry> out(x.size() + y.size());
      keep(out, how.set_union(x.begin(), x.end(), y.begin(), y.end(), out.begin()));
      keep(out, how.set_intersection(x.begin(), x.end(), y.begin(), y.end(), out.begin()));
      keep(out, how.set_difference(x.begin(), x.end(), y.begin(), y.end(), out.begin()));
      keep(out, how.set_symmetric_difference(x.begin(), x.end(), y.begin(), y.end(), out.begin()));
    }
  }
  return made;
}

template <class How> Made sums(const How& how, const Numbers& v) {
  Made made;
  Numbers out(v.size());
  const std::plus<> plus;
  const auto square = [](std::int64_t x) { return x * x % 1'000; };
  const auto larger = [](std::int64_t x, std::int64_t y) { return std::max(x, y); };
  made.keep(how.reduce(v.begin(), v.end(), std::int64_t{5}));
  made.keep(how.reduce(v.begin(), v.end(), std::int64_t{1}, larger));
  made.keep(how.transform_reduce(v.begin(), v.end(), std::int64_t{3}, plus, square));
  how.inclusive_scan(v.begin(), v.end(), out.begin());
  made.keep(out);
  how.inclusive_scan(v.begin(), v.end(), out.begin(), plus, std::int64_t{9});
  made.keep(out);
  how.exclusive_scan(v.begin(), v.end(), out.begin(), std::int64_t{4});
  made.keep(out);
  how.transform_inclusive_scan(v.begin(), v.end(), out.begin(), plus, square);
  made.keep(out);
  how.transform_exclusive_scan(v.begin(), v.end(), out.begin(), std::int64_t{2}, plus, square);
  made.keep(out);
  out = v;
  how.inclusive_scan(out.begin(), out.end(), out.begin()); // the output may be the input
  made.keep(out);
  std::vector<double> exact, totals(v.size()); // halves and quarters, whose sums are exact in any order
  for (const std::int64_t x : v) exact.push_back(static_cast<double>(x % 1'000) / 4);
  how.exclusive_scan(exact.begin(), exact.end(), totals.begin(), 0.5);
  for (const double x : totals) made.keep(static_cast<std::int64_t>(x * 4));
  return made;
}

/// A group, as something that is called with a library and numbers.
#define WSTREE_GROUP(name)                                                                                   \
  [](const auto& how, const wstree::same_calls::Numbers& v) { return wstree::same_calls::name(how, v); }

} // namespace wstree::same_calls
