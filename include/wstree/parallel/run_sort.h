// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stable sort of one thread. No branch depends on elements that are small.
#pragma once

#include "wstree/parallel/merge_runs.h"

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Moves [begin, end) from `from` to `to` when it is destroyed, unless it was dismissed.
template <class From, class To> struct Return {
  const From& from;
  const To& to;
  Span span;
  bool is_wanted = true;

  Return(const From& source, const To& target, Span elements) noexcept
      : from(source), to(target), span(elements) {}
  ~Return() {
    if (is_wanted) relocate_all(from, span.begin, span.end, to, span.begin);
  }
  Return(const Return&) = delete;
  Return& operator=(const Return&) = delete;
};

/// The place of an element that was taken out of a row, to which it returns.
template <class Iterator> struct Gap {
  const Live<Iterator>& row;
  std::size_t at;
  std::iter_value_t<Iterator> element;

  Gap(const Live<Iterator>& elements, std::size_t place) noexcept
      : row(elements), at(place), element(elements.leaving(place)) {}
  ~Gap() { row.put(at, std::move(element)); }
  Gap(const Gap&) = delete;
  Gap& operator=(const Gap&) = delete;

  void step_left() noexcept { row.put(at, row.leaving(at - 1)), --at; }
};

/// Sorts elements of `live` by merging, to and fro between `live` and `raw`, at the same indices. If `less`
/// throws all elements are in `live`.
template <class T, class Iterator, class Compare> class RunSort {
public:
  RunSort(const Live<Iterator>& live, const Raw<T>& raw, Compare& less) noexcept
      : live_(live), raw_(raw), less_(less) {}

  /// The result is in `raw` if `to_raw`, else in `live`.
  void sort(Span span, bool to_raw) {
    if constexpr (k_is_selected<T>)
      if (has_few_values(span) && distribute(span, to_raw)) return;
    sort_by_merging(span, to_raw);
  }

private:
  static constexpr std::size_t k_least = k_is_selected<T> ? 4 : 16;
  /// A run of which so many elements have so few values is distributed among these.
  static constexpr std::size_t k_sample = 64, k_values = 16, k_distributed = 2048;

  const Live<Iterator>& live_;
  const Raw<T>& raw_;
  Compare& less_;
  struct Values {
    alignas(T) unsigned char bytes[(k_is_selected<T> ? k_sample : 1) * sizeof(T)];
    Raw<T> raw() noexcept { return {reinterpret_cast<T*>(bytes)}; }
  } values_; // the first k_values, in order

  bool has_few_values(Span span) {
    if (span.size() < k_distributed) return false;
    Values sorted;
    const Raw<T> raw = values_.raw(), to = sorted.raw();
    const Live<T*> sample{raw.first};
    for (std::size_t k = 0; k < k_sample; ++k)
      ::new (static_cast<void*>(raw.first + k)) T(live_[span.begin + k * (span.size() / k_sample)]);
    RunSort<T, T*, Compare>(sample, to, less_).sort_by_merging({0, k_sample}, true);
    std::size_t values = 0;
    for (std::size_t k = 0; k < k_sample; ++k) {
      if (values != 0 && !less_(raw[values - 1], to[k])) continue;
      if (values == k_values) return false;
      raw.put(values++, T(to[k]));
    }
    for (; values < k_values; ++values) raw.put(values, T(raw[values - 1]));
    return true;
  }
  /// Returns 2 k + 1 for value k, 2 k for an element between value k - 1 and value k.
  std::size_t class_of(const T& element) {
    const T* const values = values_.raw().first;
    std::size_t k = 0;
    for (std::size_t half = k_values / 2; half != 0; half /= 2)
      k += less_(values[k + half - 1], element) ? half : 0;
    const bool is_more = less_(values[k], element);
    return 2 * (k + is_more) + (!is_more && !less_(element, values[k]));
  }
  /// Returns false if there is no memory for that.
  bool distribute(Span span, bool to_raw) {
    constexpr std::size_t k_classes = 2 * k_values + 1;
    const std::unique_ptr<unsigned char[]> classes(new (std::nothrow) unsigned char[span.size()]);
    if (classes == nullptr) return false;
    std::size_t begins[k_classes + 1] = {span.begin}, place[k_classes];
    for (std::size_t i = 0; i < span.size(); ++i) {
      const std::size_t c = class_of(live_[span.begin + i]);
      classes[i] = static_cast<unsigned char>(c), ++begins[c + 1];
    }
    for (std::size_t c = 0; c < k_classes; ++c) place[c] = begins[c], begins[c + 1] += begins[c];
    for (std::size_t i = 0; i < span.size(); ++i) relocate(live_, span.begin + i, raw_, place[classes[i]]++);
    Return back(raw_, live_, span);
    for (std::size_t c = 0; c < k_classes && to_raw; c += 2) {
      relocate_all(raw_, begins[c], begins[c + 1], live_, begins[c]);
      sort_by_merging({begins[c], begins[c + 1]}, true);
    }
    if (to_raw) return !(back.is_wanted = false);
    relocate_all(raw_, span.begin, span.end, live_, span.begin);
    back.is_wanted = false;
    for (std::size_t c = 0; c < k_classes; c += 2) sort_by_merging({begins[c], begins[c + 1]}, false);
    return true;
  }

  template <class, class, class> friend class RunSort;

  void sort_by_merging(Span span, bool to_raw) {
    if (span.size() <= k_least) return to_raw ? sort_few(span, raw_) : sort_few(span, live_);
    std::size_t left = k_least; // a power of 2, because spans of the same size are merged fastest
    while (left < span.size() - left) left *= 2;
    const Span a{span.begin, span.begin + left}, b{span.begin + left, span.end};
    sort_by_merging(a, !to_raw);
    if (to_raw) {
      sort_by_merging(b, false);
      Return back(raw_, live_, span);
      merge(live_, a, b, raw_);
      back.is_wanted = false;
    } else {
      Return back(raw_, live_, a);
      sort_by_merging(b, true);
      back.is_wanted = false;
      merge(raw_, a, b, live_);
    }
  }

  template <class To> void sort_few(Span span, const To& to) {
    const std::size_t i = span.begin;
    if constexpr (k_is_selected<T>)
      if (span.size() == 4) return sort_four(i, to);
    for (std::size_t k = i + 1; k < span.end; ++k) {
      if (!less_(live_[k], live_[k - 1])) continue;
      Gap<Iterator> gap(live_, k);
      do gap.step_left();
      while (gap.at != i && less_(std::as_const(gap.element), live_[gap.at - 1]));
    }
    if constexpr (std::is_same_v<To, Raw<T>>) relocate_all(live_, i, span.end, to, i);
  }
  /// Five comparisons, and then everything is written.
  template <class To> void sort_four(std::size_t i, const To& to) {
    const bool swap01 = less_(live_[i + 1], live_[i]), swap23 = less_(live_[i + 3], live_[i + 2]);
    const std::size_t a = i + swap01, b = i + !swap01, c = i + 2 + swap23, d = i + 2 + !swap23;
    const bool c_first = less_(live_[c], live_[a]), b_last = less_(live_[d], live_[b]);
    const std::size_t left = select(c_first, a, select(b_last, c, b));
    const std::size_t right = select(b_last, d, select(c_first, b, c));
    const bool swap = less_(live_[right], live_[left]);
    T first = live_[select(c_first, c, a)], second = live_[select(swap, right, left)];
    T third = live_[select(swap, left, right)], last = live_[select(b_last, b, d)];
    to.put(i, std::move(first)), to.put(i + 1, std::move(second));
    to.put(i + 2, std::move(third)), to.put(i + 3, std::move(last));
  }

  template <class From, class To> void merge(const From& from, Span a, Span b, const To& to) {
    {
      Return all(from, to, {a.begin, b.end}); // if they are in order already, or if the comparison throws
      if (!less_(from[b.begin], from[a.end - 1])) return;
      all.is_wanted = false;
    }
    if constexpr (k_is_selected<T>)
      if (a.size() == b.size()) return merge_equals(from, a, b, to);
    merge_spans<T>(from, a, b, to, a.begin, less_);
  }
  /// Half of the elements from the front and half from the back: no span can end before that.
  template <class From, class To> void merge_equals(const From& from, Span a, Span b, const To& to) {
    Return all(from, to, {a.begin, b.end}); // copied elements are still there
    const std::size_t size = a.size();
    std::size_t begin = a.begin, end = b.end;
    for (std::size_t k = 0; k < size; ++k) {
      const bool first_is_b = less_(from[b.begin], from[a.begin]);
      const bool last_is_a = less_(from[b.end - 1], from[a.end - 1]);
      T first = from[select(first_is_b, b.begin, a.begin)];
      T last = from[select(last_is_a, a.end, b.end) - 1];
      a.begin += !first_is_b, b.begin += first_is_b;
      a.end -= last_is_a, b.end -= !last_is_a;
      to.put(begin++, std::move(first));
      to.put(--end, std::move(last));
    }
    all.is_wanted = a.size() != 0; // `less` contradicts itself: some element has been written twice
  }
};

} // namespace detail
} // namespace v1
} // namespace wstree
