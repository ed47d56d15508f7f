// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop on ranks, for any computation: pieces are executed by the team of each rank.
#pragma once

#include "wstree/mpi/drive.h"
#include "wstree/mpi/exchange.h"
#include "wstree/mpi/segments.h"
#include "wstree/parallel/fold.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// The element that a chunk is at, for exceptions; and whether that element is a hit.
struct Position {
  std::uint64_t element;
  bool is_hit = false;
};

/// A body that run() executes: functions that may throw, called by several threads at a time.
template <class B>
concept body = requires(B& b, typename B::Value& left, typename B::Value& right, std::uint64_t begin,
                        std::uint64_t end, Position& at) {
  { b.start(begin, end, at) } -> std::same_as<typename B::Value>; // the value of elements [begin, end)
  b.extend(left, begin, end, at);                                 // continues it
  b.join(left, right);                                            // continues it by the value of the elements
                                                                  // behind it
};

/// The kind of algorithm, equal on all ranks.
enum class Kind : std::uint8_t { each, chunks, fold, reduce, sum, find };

struct Call {
  Kind kind;
  std::uint64_t elements;
  std::uint64_t least_unit = 1; // elements of a unit
  std::uint64_t before = 0;     // elements before the call's range: for exceptions
  std::uint64_t behind = 0;     // elements behind the call's range
  bool is_ordered = false;      // after an exception of an element, the elements before it are still executed
  std::uint32_t block = 1;      // elements whose value has few bytes; parts of blocks have more
};

/// The result of a loop.
template <class V> struct Outcome {
  std::optional<V> value; // value of all elements; nothing without elements, or on ranks besides the root
  std::uint64_t hit = Events::k_none; // the first one
};

/// A token that never stops a call. With it a member that is alone takes a 128th of a piece at a time, and
/// not all.
struct TakesPartsToken {
  static constexpr bool stop_requested() noexcept { return false; }
};

/// The results of a piece that a team has executed.
template <class V> struct Executed {
  Segments<V> segments;
  double chunk = 0; // seconds of the longest chunk
  double busy = 0;  // seconds of all chunks, of all members; 0: the calling thread was alone

  /// Returns how long a member waited, in the mean, until the last one was done.
  double waited(double seconds) const noexcept {
    return busy > 0 ? std::clamp(seconds - busy / threads_of_team(), 0.0, chunk) : 0;
  }
};

/// Target duration in seconds of one step when a rank executes a short piece without its team.
inline constexpr double k_step = 10e-6;

/// Returns the seconds of a piece that the calling thread executes alone: a team would meet too late.
inline double most_alone() noexcept { return threads_of_team() > 1 ? 2 * k_step : 10 * k_step; }

/// Returns the units of which the ranks' shares are multiples: a block in brief calls, whose values then
/// travel together, and in calls of many blocks.
inline std::uint32_t grain_of(const Call& call, const Group& group, const Units& units) noexcept {
  constexpr double k_most = 20e-6; // seconds of a block
  if (call.block == 1 || units.size != 1) return 1;
  const double blocks = std::max(1.0, static_cast<double>(call.elements) / call.block);
  const double seconds = group.seconds_of(call.elements);
  return (seconds > 0 && seconds < k_most * blocks) || blocks >= 8.0 * group.ranks() ? call.block : 1;
}

template <class Policy, class Body>
Executed<typename Body::Value> execute_piece(const Policy& policy, Drive& drive, Range piece, Body& body,
                                             bool is_ordered, call_site where) {
  using Part = Executed<typename Body::Value>;
  double deadline = now() + drive.patience(piece);
  const Units& units = drive.units();
  const auto chunk = [&](Part& part, std::uint32_t begin, std::uint32_t end) {
    Events& events = drive.events();
    if (policy.stop_requested()) events.bound(0);
    end = std::min(end, events.bound());
    const double start = now();
    if (begin >= end || start > deadline) return; // left undone: a gap in the list
    const std::uint64_t first = units.first(begin), last = units.first(end);
    Position at{first};
    try {
      part.segments.add(
          {begin, end}, [&] { return body.start(first, last, at); },
          [&](auto& value) { body.extend(value, first, last, at); });
      const double took = now() - start;
      part.chunk = std::max(part.chunk, took), part.busy += took;
      if (!at.is_hit) return;
      events.note(at.element, nullptr);
      events.bound(units.unit_of(at.element));
    } catch (...) {
      const std::uint32_t thrower = units.unit_of(at.element);
      events.note(at.element, std::current_exception());
      events.bound(is_ordered ? thrower : 0);
      if constexpr (std::is_same_v<typename Body::Value, NoValue>) // elements before the exception
                                                                   // are executed
        if (is_ordered && thrower > begin)
          part.segments.add(
              {begin, thrower}, [] { return NoValue{}; }, [](NoValue&) {});
    }
  };
  const auto append = [&](Part left, Part right) {
    left.segments.append(std::move(right.segments), [&](auto& a, auto& b) { body.join(a, b); });
    left.chunk = std::max(left.chunk, right.chunk), left.busy += right.busy;
    return left;
  };
  const std::uint64_t least = (policy.options().chunk - 1) / units.size + 1;
  if (const double expected = drive.expected(piece); expected > 0 && expected < most_alone()) {
    // In steps that grow from one unit on: it may turn out to be long.
    deadline = now() + 4 * expected + 5 * k_step;
    const auto most = std::max(least, static_cast<std::uint64_t>(piece.size() * k_step / expected));
    Part part;
    std::uint64_t step = least;
    for (std::uint32_t at = piece.begin; at != piece.end; step = std::min(16 * step, most)) {
      if (piece.end - at < step + least) step = piece.end - at;
      const auto end = static_cast<std::uint32_t>(at + step);
      chunk(part, at, end);
      at = end;
    }
    part.busy = 0;
    return part;
  }
  return fold(
      par(policy.options().label).min_chunk(least).stop(TakesPartsToken()), piece.begin, piece.end,
      [] { return Part(); }, chunk, append, where);
}

/// Executes the loop on all ranks of the policy's communicator.
template <class Policy, class Body>
requires(body<Body>) Outcome<typename Body::Value> run(const Policy& policy, const Call& call, Body& body,
                                                       call_site where) {
  using Value = typename Body::Value;
  constexpr bool k_has_value = !std::is_same_v<Value, NoValue>;
  static_assert(sendable<Value>,
                "wstree: values that ranks send each other are trivially copyable, or std::vector or "
                "std::string of such that have a default constructor");
  const Options& options = policy.options();
  check_that_mpi_works(options.comm);
  Group& group = Group::of(options.comm);
  const std::uint64_t kind =
      static_cast<std::uint64_t>(call.kind) | (options.remembered != nullptr ? 128U : 0U) |
      std::uint64_t{static_cast<std::uint32_t>(options.root)} << 8 | options.chunk << 40;
  const Units units(call.elements, call.least_unit);
  Drive drive(
      group, options, units, {call.before + call.elements + call.behind, kind, form_of<Value>()},
      [&] { return policy.stop_requested(); }, where, grain_of(call, group, units));
  const auto join = [&](Value& left, Value& right) { body.join(left, right); };
  const auto fails_at = [&](std::uint64_t element) {
    drive.events().note(element, std::current_exception());
    drive.events().bound(0);
  };

  const Events& events = drive.events();
  const auto end_of_rank = [&] {
    return End{.hit = events.hit(),
               .thrower = events.thrower(),
               .dropped = drive.dropped(),
               .seconds = drive.worked()};
  };
  Segments<Value> all;
  Parcel mine;
  std::uint32_t at = 0; // the unit that is joined
  const auto pack = [&] {
    mine = {};
    if constexpr (k_has_value) {
      try {
        all.arrange(join, at);
        for (const Segment<Value>& segment : all) mine.put(segment.units), mine.put(segment.value);
      } catch (...) {
        fails_at(drive.units().first(at));
      }
    }
  };
  drive.rests_with([&](Board& board) {
    pack();
    Ends::rest_with(board, end_of_rank(), &mine);
  });
  for (Range piece; drive.next(piece);) {
    const double start = now();
    Executed<Value> done;
    try {
      done = execute_piece(policy, drive, piece, body, call.is_ordered, where);
    } catch (...) { // from the combination of values
      fails_at(drive.units().first(piece.begin));
      done = {};
    }
    std::vector<Range> ranges;
    for (const Segment<Value>& segment : done.segments) ranges.push_back(segment.units);
    const double seconds = now() - start;
    drive.ran(piece, ranges, seconds, done.chunk, done.waited(seconds));
    if constexpr (k_has_value) {
      try {
        all.append(std::move(done.segments), join);
      } catch (...) {
        fails_at(drive.units().first(piece.begin));
      }
    }
  }
  drive.finish();

  if (group.words().board() == nullptr) pack();
  Ends ends = Ends::of_loop(group, end_of_rank(), &mine);
  ends.rethrow(events, call.before);
  if (ends.has_dropped()) throw cancelled();
  drive.share_costs();
  if (call.block != 1) group.note_seconds(call.elements, ends.seconds());

  Outcome<Value> outcome{{}, ends.hit()};
  if constexpr (k_has_value) {
    Parcel theirs = ends.gather(mine, options.root);
    try {
      Segments<Value> ordered;
      while (!theirs.at_end()) {
        const auto units = theirs.get<Range>();
        ordered.add({units, theirs.get<Value>()});
      }
      if (!ordered.empty()) {
        ordered.arrange(join, at);
        outcome.value.emplace(std::move(ordered.begin()->value));
        at = 0;
        if constexpr (requires { body.end(*outcome.value); }) body.end(*outcome.value);
      }
    } catch (...) {
      fails_at(drive.units().first(at));
    }
    if constexpr (!requires { requires Body::k_joins_quietly; })
      Ends::rethrow_first(group, events, call.before); // operators may throw on some ranks only
  }
  return outcome;
}

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
