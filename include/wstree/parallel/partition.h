// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// partition, stable_partition, remove_if, remove, unique
#pragma once

#include "wstree/parallel/entry.h"
#include "wstree/parallel/filter.h"
#include "wstree/parallel/inline_start.h"
#include "wstree/parallel/part_of.h"
#include "wstree/parallel/relocation.h"
#include "wstree/parallel/second_input.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Elements of a block, which one member tests and moves at a time, or fewer.
inline constexpr std::size_t k_partition_block = 2048;
/// Nanoseconds of a call that one thread executes: three passes by a team take longer than one.
inline constexpr std::uint64_t k_brief_partition_ns = 40'000;

/// Returns whether a call that takes one thread so many ticks stays with it.
template <class P = Clock> bool is_brief_partition(float ticks) noexcept {
  return ticks < static_cast<float>(core::ticks_in<P>(k_brief_partition_ns));
}

/// Elements that are moved by their class, which is computed once before anything moves: functions that may
/// throw are over by then. `k_classes`: the number of classes; those from `k_kept` on are given up.
template <unsigned k_classes, unsigned k_kept, class Policy, class Iterator> class ByClass {
  using T = std::iter_value_t<Iterator>;

public:
  ByClass(const Policy& policy, Iterator first, std::size_t count, call_site where)
      : policy_(policy), live_{first}, count_(count), where_(where),
        block_(core::clamp<std::size_t>(count / (16 * most_members(policy)), 2, k_partition_block)),
        blocks_(count / block_ + (count % block_ != 0)), room_(count, std::nothrow),
        classes_(new (std::nothrow) unsigned char[count]), places_(new (std::nothrow) Places[blocks_]) {}

  bool has_memory() const noexcept { return room_ && classes_ != nullptr && places_ != nullptr; }

  /// Moves all elements of class 0 to the front, those of class 1 behind them, and so on, each class in its
  /// order. class_of(i) returns the class of element i. Returns the end of each class.
  template <class ClassOf> auto move(ClassOf&& class_of) {
    const std::uint64_t since = Clock::ticks();
    ask(0, class_of);
    policy_.advance(1);
    const auto moved = static_cast<float>(k_moved_us * Clock::ticks_per_us());
    cost_ = per_element(core::elapsed(since, Clock::ticks()), end_of(0)) + moved;
    const Policy policy = is_brief() ? policy_.threads(1) : policy_;
    // No chunk has all blocks: the caller looks at the clock.
    for_each_chunk(
        policy.max_chunk(blocks_ / 2), std::size_t{1}, blocks_,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t b = begin; b < end; ++b) ask(b, class_of);
        },
        where_);
    struct Ends {
      std::size_t of[k_classes];
    } ends{};
    if (policy_.stop_requested() && throw_cancelled()) return ends;
    std::size_t total = 0;
    for (unsigned c = 0; c < k_classes; ++c) {
      for (std::size_t b = 0; b < blocks_; ++b) total += std::exchange(places_[b].of[c], total);
      ends.of[c] = total;
    }
    const par part = part_of(policy);
    const Raw<T> raw = room_.raw();
    for_each_chunk(
        part, std::size_t{0}, blocks_,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t b = begin; b < end; ++b) {
            Places places = places_[b];
            for (std::size_t i = b * block_; i < end_of(b); ++i)
              if (classes_[i] < k_kept) relocate(live_, i, raw, places.of[classes_[i]]++);
          }
        },
        where_);
    for_each_chunk(
        part, std::size_t{0}, k_kept == 0 ? 0 : ends.of[k_kept - 1],
        [&](std::size_t begin, std::size_t end) { relocate_all(raw, begin, end, live_, begin); }, where_);
    return ends;
  }

  /// Returns the ticks that an element takes one thread, by those of the first block.
  float cost() const noexcept { return cost_; }

private:
  /// Microseconds to move an element there and back.
  static constexpr double k_moved_us = 0.0016;
  bool is_brief() const noexcept { return is_brief_partition(cost_ * static_cast<float>(count_)); }

  struct Places {
    std::size_t of[k_classes] = {};
  };
  const Policy& policy_;
  Live<Iterator> live_;
  std::size_t count_;
  call_site where_;
  std::size_t block_, blocks_;
  float cost_ = 0;
  Room<T> room_;
  std::unique_ptr<unsigned char[]> classes_;
  std::unique_ptr<Places[]> places_;

  std::size_t end_of(std::size_t block) const noexcept { return std::min(count_, (block + 1) * block_); }
  template <class ClassOf> void ask(std::size_t block, ClassOf& class_of) {
    Places places;
    const std::size_t begin = block * block_, end = end_of(block);
    for (std::size_t i = begin; i < end; ++i) {
      const unsigned c = class_of(i);
      classes_[i] = static_cast<unsigned char>(c);
      ++places.of[c];
    }
    places_[block] = places;
    policy_.advance(end - begin - 1); // the loop counts the block as one
  }
};

/// Moves elements by class: by alone() if one thread is faster, else by together(ByClass&).
template <unsigned k_classes, unsigned k_kept, class Policy, class Iterator, class Alone, class Together>
auto by_class(const Policy& policy, Iterator first, std::size_t count, call_site where, Alone&& alone,
              Together&& together) {
  using Result = decltype(alone());
  const auto by_one = [&]() -> Result {
    Result result = alone();
    policy.advance(count);
    return result;
  };
  if (policy.stop_requested() && throw_cancelled()) return Result{};
  if constexpr (!k_moves_safely<Iterator>) {
    return by_one();
  } else {
    if (count < 2 || most_members(policy) == 1) return by_one();
    Site& site = t_sites.at(site_key<Alone>(where));
    const bool was_little = policy.is_plain() && site.takes_little(count);
    if (was_little && site.is_brief(count)) return by_one();
    const float expected = site.cost() * static_cast<float>(count);
    // An unknown cost is not taken for brief: several calls may have one place in the table.
    const bool is_brief = !was_little && !site.is_careful() && expected > 0 && is_brief_partition(expected);
    const std::uint64_t since = Clock::ticks();
    float cost = 0;
    const Result result = [&]() -> Result {
      if (is_brief) return by_one();
      ByClass<k_classes, k_kept, Policy, Iterator> classes(policy, first, count, where);
      if (!classes.has_memory()) return by_one();
      const Result made = together(classes);
      cost = classes.cost();
      return made;
    }();
    const std::uint64_t ticks = core::elapsed(since, Clock::ticks());
    site.was_alone(count, ticks, cost > 0 ? cost : per_element(ticks, count));
    return result;
  }
}

/// One thread's passes over elements that are copied as bytes: each is stored in any case, and no branch
/// depends on an answer, which processors predict badly.
template <class In> class Selecting {
public:
  static constexpr bool k_can = Keeping<In>::k_is_small && In::k_in_memory;

  /// is_kept(element, the element before it). Returns the number of elements that are kept, from `first` on.
  template <class IsKept> static std::size_t keep(const In& in, std::size_t first, const IsKept& is_kept) {
    const In from = in; // in registers while the loop stores bytes
    const IsKept ask = is_kept;
    auto to = in.at(first);
    if (first < in.count) {
      Value before = from[0];
      for (std::size_t i = first; i < in.count; ++i) {
        const Value value = from[i];
        *to = value;
        to += static_cast<bool>(ask(value, before));
        before = value;
      }
    }
    return static_cast<std::size_t>(to - in.first);
  }
  /// Returns the number of chosen elements, which come first. Without memory nothing happens: in.count + 1.
  template <class IsChosen> static std::size_t part(const In& in, const IsChosen& is_chosen) {
    const Room<Value> room(in.count, std::nothrow);
    if (!room) return in.count + 1;
    const In from = in;
    const IsChosen ask = is_chosen;
    Parting parting{in.first, room.raw().first, room.raw().first};
    auto yes = parting.yes;
    Value* no = parting.no;
    for (std::size_t i = 0; i < in.count; ++i) {
      const Value value = from[i];
      *yes = value, *no = value;
      parting.yes = yes, parting.no = no;
      const bool is_yes = ask(value);
      yes += is_yes, no += !is_yes;
    }
    parting.yes = yes, parting.no = no;
    return static_cast<std::size_t>(yes - in.first);
  }

private:
  using Value = typename In::Value;
  /// The others return behind the chosen ones, also if a predicate throws.
  struct Parting {
    std::remove_cvref_t<decltype(In::first)> yes;
    Value* first;
    Value* no;
    ~Parting() { std::copy(first, no, yes); }
  };
};

template <class In, class Pred, class Proj> constexpr bool check_predicate() {
  static_assert(is_predicate<Pred, In, Proj>(),
                "wstree: the predicate has to take an element, or its projection, and say yes or no");
  return is_predicate<Pred, In, Proj>();
}

/// Elements for which the predicate holds, then the others; both in their order. Returns the begin of
/// the others.
struct Partition : Called, Finder {
  template <class Policy, class In, class Pred, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, Pred pred, Proj proj = {}) const {
    std::size_t end = 0;
    if constexpr (check_permutable<In>() && check_predicate<In, Pred, Proj>()) {
      const auto is_chosen = on_projection<In>(pred, proj);
      end = by_class<2, 2>(
          policy, in.first, in.count, where,
          [&] {
            if constexpr (Selecting<In>::k_can)
              if (const std::size_t chosen = Selecting<In>::part(in, is_chosen); chosen <= in.count)
                return chosen;
            return static_cast<std::size_t>(std::stable_partition(in.first, in.at(in.count), is_chosen) -
                                            in.first);
          },
          [&](auto& classes) {
            return classes.move([&](std::size_t i) { return is_chosen(in[i]) ? 0U : 1U; }).of[0];
          });
    }
    return in.at(end);
  }
};

/// Keeps the elements for which the predicate does not hold. Returns their end.
struct RemoveIf : Called, Finder {
  template <class Policy, class In, class Pred, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, Pred pred, Proj proj = {}) const {
    std::size_t end = 0;
    if constexpr (check_permutable<In>() && check_predicate<In, Pred, Proj>()) {
      const auto is_removed = on_projection<In>(pred, proj);
      end = by_class<2, 1>(
          policy, in.first, in.count, where,
          [&] {
            if constexpr (Selecting<In>::k_can)
              return Selecting<In>::keep(in, 0,
                                         [is_removed](const auto& e, const auto&) { return !is_removed(e); });
            else
              return static_cast<std::size_t>(std::remove_if(in.first, in.at(in.count), is_removed) -
                                              in.first);
          },
          [&](auto& classes) {
            return classes.move([&](std::size_t i) { return is_removed(in[i]) ? 1U : 0U; }).of[0];
          });
    }
    return in.at(end);
  }
};
struct Remove : Called, Finder {
  template <class Policy, class In, class T, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, const T& value, Proj proj = {}) const {
    const T kept(value); // it may be one of the elements
    return algorithm_at<RemoveIf>(where)(
        policy, in, [&](const auto& e) { return e == kept; }, std::move(proj));
  }
};

/// Keeps the first of equal neighbours. Returns the end of the kept elements.
struct Unique : Called, Finder {
  using Comparison = Equal;
  template <class Policy, class In, class Comp = Equal, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, Comp comp = {}, Proj proj = {}) const {
    std::size_t end = 0;
    if constexpr (check_permutable<In>() && check_comparison_of_two<Comp, In, In, Proj, Proj>()) {
      const auto are_equal = by_projection<In>(comp, proj);
      end = by_class<2, 1>(
          policy, in.first, in.count, where,
          [&] {
            if constexpr (Selecting<In>::k_can)
              return Selecting<In>::keep(
                  in, least(1, in.count),
                  [are_equal](const auto& e, const auto& before) { return !are_equal(before, e); });
            else
              return static_cast<std::size_t>(std::unique(in.first, in.at(in.count), are_equal) - in.first);
          },
          [&](auto& classes) {
            return classes
                .move([&](std::size_t i) { return i != 0 && are_equal(in[i - 1], in[i]) ? 1U : 0U; })
                .of[0];
          });
    }
    return in.at(end);
  }
};

} // namespace detail

/// partition keeps the order, too.
inline constexpr detail::Entry<detail::Partition> partition{};
inline constexpr detail::Entry<detail::Partition> stable_partition{};
inline constexpr detail::Entry<detail::RemoveIf> remove_if{};
inline constexpr detail::Entry<detail::Remove> remove{};
inline constexpr detail::Entry<detail::Unique> unique{};

} // namespace v1
} // namespace wstree
