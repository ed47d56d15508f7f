// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// copy_if, filter, partition_copy, pack_index
// Exceptions, stops and thread-safety: README.md#what-is-promised
#pragma once

#include "wstree/parallel/chosen.h"
#include "wstree/parallel/entry.h"
#include "wstree/parallel/lock.h"
#include "wstree/parallel/ordered.h"

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace detail {

inline constexpr double k_filter_worth_us = 6;
inline constexpr double k_filter_tile_us = 16;
inline constexpr std::size_t k_filter_tile_bytes = 64 * 1024;

/// Copies to an iterator: members learn their places one after another, and then copy at the same time.
template <class In, class Out, class Pred> struct CopyWork {
  const In& in;
  Out out;
  Pred& pred;
  std::size_t offset, total;
  struct Outcome {
    Chosen<In> chosen;
    std::size_t place = 0;
  };
  void make(const Tile& tile, Outcome& outcome) const {
    outcome.chosen.choose(in, tile.begin + offset, tile.end + offset, pred);
  }
  void take(Outcome& outcome) noexcept {
    outcome.place = total;
    total += outcome.chosen.size();
  }
  void after(Outcome& outcome) const { outcome.chosen.copy(ahead(out, outcome.place)); }
};

/// Appends small elements to a vector. A member whose turn it is puts its elements behind those that are not
/// in the vector yet, which takes no time. One member at a time appends all of these: if it loses its
/// processor, the others go on.
template <class In, class Vector, class Pred> class AppendLater {
public:
  struct Outcome {
    Chosen<In> chosen;
  };

  AppendLater(const In& in, Vector& out, Pred& pred, std::size_t offset)
      : in_(in), out_(out), pred_(pred), offset_(offset) {}

  void make(const Tile& tile, Outcome& outcome) const {
    outcome.chosen.choose(in_, tile.begin + offset_, tile.end + offset_, pred_);
  }
  void take(Outcome& outcome) {
    const Lock lock(mutex_);
    waiting_.push_back(std::move(outcome.chosen));
    outcome.chosen = {};
    if (used_.empty()) return;
    outcome.chosen = std::move(used_.back());
    used_.pop_back();
  }
  void after(const Outcome&) {
    {
      const Lock lock(mutex_);
      if (appends_) return;
      appends_ = true;
    }
    std::vector<Chosen<In>> mine;
    while (take_waiting(mine)) append(mine);
  }
  /// Appends the elements that still wait, when all members have ended.
  void finish() { append(waiting_); }

private:
  void append(std::vector<Chosen<In>>& list) {
    for (Chosen<In>& chosen : list) chosen.append(out_);
  }
  /// Swaps appended lists, whose memory is used again, for the waiting ones. Returns false if none waits.
  bool take_waiting(std::vector<Chosen<In>>& mine) {
    const Lock lock(mutex_);
    for (Chosen<In>& chosen : mine) used_.push_back(std::move(chosen));
    mine.clear();
    mine.swap(waiting_);
    return appends_ = !mine.empty();
  }

  const In& in_;
  Vector& out_;
  Pred& pred_;
  std::size_t offset_;
  Mutex mutex_;
  std::vector<Chosen<In>> waiting_, used_;
  bool appends_ = false;
};

/// Appends to a vector, which only one member at a time can do.
template <class In, class Vector, class Pred> struct AppendWork {
  const In& in;
  Vector& out;
  Pred& pred;
  std::size_t offset;
  struct Outcome {
    Chosen<In> chosen;
  };
  void make(const Tile& tile, Outcome& outcome) const {
    outcome.chosen.choose(in, tile.begin + offset, tile.end + offset, pred);
  }
  void take(Outcome& outcome) const { outcome.chosen.append(out); }
  void after(const Outcome&) const noexcept {}
};

/// Elements of both kinds, each kind in order. The rejected ones are those in between the chosen ones.
template <class In, class Yes, class No, class Pred> struct PartitionWork {
  const In& in;
  Yes yes;
  No no;
  Pred& pred;
  std::size_t offset, yes_total, no_total;
  struct Outcome {
    std::vector<unsigned char> verdicts;
    std::vector<typename Keeping<In>::Kept> elements;
    std::size_t chosen = 0, yes_place = 0, no_place = 0;
  };
  void make(const Tile& tile, Outcome& outcome) const {
    outcome.verdicts.clear(), outcome.elements.clear();
    outcome.chosen = 0;
    const auto judge = [&](const auto& element) {
      const bool is_chosen = pred(element);
      outcome.verdicts.push_back(is_chosen);
      outcome.chosen += is_chosen;
      return true;
    };
    for (std::size_t i = tile.begin; i < tile.end; ++i)
      Keeping<In>::keep(in, i + offset, judge, outcome.elements);
  }
  void take(Outcome& outcome) noexcept {
    outcome.yes_place = yes_total, outcome.no_place = no_total;
    yes_total += outcome.chosen, no_total += outcome.verdicts.size() - outcome.chosen;
  }
  void after(Outcome& outcome) const {
    Yes to_yes = ahead(yes, outcome.yes_place);
    No to_no = ahead(no, outcome.no_place);
    for (std::size_t k = 0; k < outcome.verdicts.size(); ++k) {
      if (outcome.verdicts[k] != 0)
        write_to(to_yes, Keeping<In>::element(outcome.elements[k])), ++to_yes;
      else
        write_to(to_no, Keeping<In>::element(outcome.elements[k])), ++to_no;
    }
  }
};

/// `first_piece(begin, end)` does the work of the caller alone; `work` the rest.
template <class Policy, class In, class Piece, class MakeWork>
void choose(const Policy& policy, const In& in, Piece&& first_piece, MakeWork&& with_rest) {
  const Start start = start_inline(
      policy, in.count, k_filter_worth_us,
      [&](std::size_t begin, std::size_t end) {
        first_piece(begin, end);
        policy.advance(end - begin);
        return true;
      },
      Alone::like_a_team);
  if (start.done == in.count) return;
  const std::size_t rest = in.count - start.done;
  const std::size_t longest =
      k_filter_tile_bytes / (sizeof(typename In::Value) < 16 ? sizeof(typename In::Value) : 4);
  const std::size_t first =
      least(start.elements_in(k_filter_tile_us), rest / (8 * most_members(policy)), longest);
  with_rest(tiling_of(policy, rest, first, longest), start);
}

template <class In, class Pred, class Proj> auto on_projection(Pred& pred, Proj& proj) {
  static_assert(is_predicate<Pred, In, Proj>(),
                "wstree: the predicate has to take an element, or its projection, and say yes or no");
  if constexpr (is_predicate<Pred, In, Proj>()) {
    using Element = const std::remove_cvref_t<typename In::Reference>&;
    using Projected = decltype(invoke(proj, std::declval<Element>()));
    return [own = HeldCall<Pred, Projected>{pred}, of = HeldCall<Proj, Element>{proj}](
               const auto& e) -> bool { return static_cast<bool>(invoke(own.f, invoke(of.f, e))); };
  } else {
    return [](const auto&) { return false; };
  }
}

struct CopyIf {
  template <class Policy, class In, class Out, class Pred, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, Out&& destination, Pred pred, Proj proj = {}) const {
    auto out = target(destination);
    auto chosen = on_projection<In>(pred, proj);
    std::size_t total = 0;
    choose(
        policy, in,
        [&](std::size_t begin, std::size_t end) {
          auto to = ahead(out, total); // in a register while the loop stores bytes
          const In from = in;
          const auto ask = chosen;
          if constexpr (Keeping<In>::k_is_small && In::k_in_memory) {
            // No branch depends on the predicate's result, and nothing is written behind the chosen elements.
            constexpr std::size_t k_at_once = 1024 / sizeof(typename In::Value);
            typename Keeping<In>::Byte kept[k_at_once];
            for (std::size_t i = begin; i < end;) {
              auto* past = kept;
              for (const std::size_t stop = end - i > k_at_once ? i + k_at_once : end; i < stop; ++i) {
                const typename In::Value value = from[i];
                *past = value;
                past += ask(value);
              }
              for (const auto* k = kept; k < past; ++k, ++to)
                write_to(to, static_cast<const typename In::Value&>(*k));
            }
          } else {
            for (std::size_t i = begin; i < end; ++i) {
              auto&& element = from[i];
              if (ask(element)) write_to(to, std::forward<decltype(element)>(element)), ++to;
            }
          }
          total = static_cast<std::size_t>(to - out);
        },
        [&](const Tiling& tiling, const Start& start) {
          CopyWork<In, decltype(out), decltype(chosen)> work{in, out, chosen, start.done, total};
          run_ordered(policy, tiling, members_in_turn(start), work);
          total = work.total;
        });
    return ahead(out, total);
  }
};

struct Filter {
  template <class Policy, class In, class Pred, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, Pred pred, Proj proj = {}) const {
    std::vector<typename In::Value> result;
    auto chosen = on_projection<In>(pred, proj);
    choose(
        policy, in,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            auto&& element = in[i];
            if (chosen(element)) result.emplace_back(std::forward<decltype(element)>(element));
          }
        },
        [&](const Tiling& tiling, const Start& start) {
          if constexpr (Keeping<In>::k_is_small) {
            AppendLater<In, decltype(result), decltype(chosen)> work(in, result, chosen, start.done);
            run_ordered(policy, tiling, members_in_turn(start), work);
            work.finish();
          } else {
            AppendWork<In, decltype(result), decltype(chosen)> work{in, result, chosen, start.done};
            run_ordered(policy, tiling, members_in_turn(start), work);
          }
        });
    return result;
  }
};

/// The numbers, from 0, of the elements that pred is true of.
struct PackIndex {
  template <class Policy, class In, class Pred = Identity>
  auto operator()(const Policy& policy, const In& in, Pred pred = {}) const {
    return Filter{}(policy, Elements<std::size_t>{0, in.count},
                    [&](std::size_t i) { return static_cast<bool>(invoke(pred, in[i])); });
  }
};

struct PartitionCopy {
  template <class Policy, class In, class Yes, class No, class Pred, class Proj = Identity>
  auto operator()(const Policy& policy, const In& in, Yes&& yes_to, No&& no_to, Pred pred,
                  Proj proj = {}) const {
    auto yes = target(yes_to);
    auto no = target(no_to);
    auto chosen = on_projection<In>(pred, proj);
    std::size_t yes_total = 0, no_total = 0;
    choose(
        policy, in,
        [&](std::size_t begin, std::size_t end) {
          auto to_yes = ahead(yes, yes_total);
          auto to_no = ahead(no, no_total);
          const In from = in;
          const auto ask = chosen;
          for (std::size_t i = begin; i < end; ++i) {
            auto&& element = from[i];
            if (ask(element))
              write_to(to_yes, std::forward<decltype(element)>(element)), ++to_yes;
            else
              write_to(to_no, std::forward<decltype(element)>(element)), ++to_no;
          }
          yes_total = static_cast<std::size_t>(to_yes - yes), no_total = static_cast<std::size_t>(to_no - no);
        },
        [&](const Tiling& tiling, const Start& start) {
          PartitionWork<In, decltype(yes), decltype(no), decltype(chosen)> work{
              in, yes, no, chosen, start.done, yes_total, no_total};
          run_ordered(policy, tiling, members_in_turn(start), work);
          yes_total = work.yes_total, no_total = work.no_total;
        });
    return std::pair{ahead(yes, yes_total), ahead(no, no_total)};
  }
};

} // namespace detail

/// copy_if(in, out, pred): copies the elements that pred is true of, in order. n calls of pred. Returns the
/// end of the output; nothing is written behind it.
inline constexpr detail::Entry<detail::CopyIf> copy_if{};
/// filter(in, pred): returns a vector of the elements that pred is true of, in order. n calls of pred.
inline constexpr detail::Entry<detail::Filter> filter{};
/// pack_index(in[, pred]): returns a vector of the numbers, from 0 and ascending, of the elements that pred
/// is true of. n calls of pred.
inline constexpr detail::Entry<detail::PackIndex> pack_index{};
/// partition_copy(in, yes, no, pred): copies each element to one of two outputs, in order. n calls of pred.
/// Returns the ends of both.
inline constexpr detail::Entry<detail::PartitionCopy> partition_copy{};

} // namespace v1
} // namespace wstree
