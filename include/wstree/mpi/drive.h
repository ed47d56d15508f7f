// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank's way through one loop: it takes pieces, gives back units that they leave, steals, and sees the end.
#pragma once

#include "wstree/mpi/events.h"
#include "wstree/mpi/first_cut.h"
#include "wstree/mpi/group.h"
#include "wstree/mpi/member.h"
#include "wstree/mpi/pacing.h"
#include "wstree/mpi/policy.h"
#include "wstree/mpi/search.h"
#include "wstree/mpi/verdict.h"
#include "wstree/mpi/victims.h"
#include "wstree/parallel/policy.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <ctime>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sched.h>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// Returns the label of a loop, or else its file and line.
inline std::string name_of_loop(const char* label, call_site where) {
  if (label != nullptr) return label;
  if (where.file == nullptr) return "(no label)";
  const std::string file = where.file;
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(where.line);
}

/// Used by the calling thread alone, the only one that calls MPI; all members of the team use `events`.
class Drive {
public:
  /// `agreed`: without the cut, which the Drive sets.
  Drive(Group& group, const Options& options, Units units, Agreed agreed, std::function<bool()> is_stopped,
        call_site where = {})
      : group_(group), entered_(group), options_(options), is_stopped_(std::move(is_stopped)), units_(units),
        cut_(units.count(), group.ranks(),
             options.remembered != nullptr && !options.remembered->sections().empty()
                 ? options.remembered->sections()
                 : options.weights),
        pacing_(threads_of_team(), group.operation(), (options.chunk - 1) / units.size + 1),
        victims_(group.rank(), group.ranks(), group.near()),
        member_(group.words(), group.rank(), group.ranks()),
        wrong_(wrong_use_here(options.root, group.ranks())),
        loop_(group.account().of(name_of_loop(options.label, where))), account_(loop_.second),
        from_(group.rank()), operations_before_(group.words().operations()) {
    const std::uint32_t call = group.next_call();
    agreed.cut = cut_.fingerprint();
    verdict_.emplace(group.comm(), agreed, wrong_);
    ++account_.executions;
    if (wrong_ == WrongUse::none) member_.open(call, cut_, group.done());
    if (options.remembered != nullptr) seconds_.assign(std::max<std::size_t>(256, 8 * group.ranks()), 0);
  }
  Drive(const Drive&) = delete;
  Drive& operator=(const Drive&) = delete;

  Events& events() noexcept { return events_; }
  const Units& units() const noexcept { return units_; }
  /// Returns the first element that was left undone because of an event or a stop; Events::k_none: there
  /// is none.
  std::uint64_t dropped() const noexcept { return dropped_; }
  /// Returns the seconds after which a piece is to end early.
  double patience(Range piece) const noexcept { return pacing_.patience(piece.size()); }

  /// Takes the next piece for the team, or looks for one on other ranks. Returns false when the loop is done,
  /// or cannot go on.
  bool next(Range& piece) {
    if (wrong_ != WrongUse::none) return false;
    const double start = now();
    has_looked_ = false;
    const bool found = search(member_, *this, piece);
    const double end = now();
    account_.looking += end - start;
    if (has_looked_) group_.account().add({&loop_.first, start, end, 0, 0, found ? from_ : group_.rank()});
    return found;
  }

  /// The team has executed `done` of a piece, in ascending order, in so many seconds, of which its longest
  /// chunk took `chunk`; the rest goes back, but not the units behind an event, which may have been begun.
  void ran(Range piece, const std::vector<Range>& done, double seconds, double chunk) {
    std::uint64_t units = 0;
    for (const Range& part : done) units += part.size();
    member_.count(units);
    pacing_.ran(units, seconds, chunk);
    if (units != piece.size()) leave(piece, done);
    show_cost();
    if (!seconds_.empty())
      for (const Range& part : done) remember(part, seconds * part.size() / static_cast<double>(units));
    for (const Range& part : done) account_.iterations += units_.first(part.end) - units_.first(part.begin);
    account_.working += seconds, ++account_.pieces;
    const double end = now();
    for (const Range& part : done)
      group_.account().add(
          {&loop_.first, end - seconds, end, units_.first(part.begin), units_.first(part.end), from_});
  }

  /// No more pieces: waits until it is known whether all ranks make the same call. If not, throws on all.
  void finish() {
    account_.operations += group_.words().operations() - operations_before_;
    const std::string wrong = verdict_->wait();
    if (!wrong.empty()) {
      group_.restart();
      throw error(wrong);
    }
    group_.add_done(cut_.units());
  }
  /// Makes the costs of the sections on all ranks the first cut of the next execution. Called after the loop.
  void share_costs() {
    if (seconds_.empty()) return;
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(MPI_IN_PLACE, seconds_.data(), static_cast<int>(seconds_.size()), MPI_DOUBLE,
                         MPI_SUM, group_.comm(), &request));
    wait_for(request);
    options_.remembered->remember(std::move(seconds_));
  }

  // For search().

  /// Returns whether the loop goes on. Also lets MPI serve other ranks, whose operations in on_steal() may
  /// wait for this one.
  bool goes_on() {
    int is_there = 0;
    check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, group_.comm(), &is_there, MPI_STATUS_IGNORE));
    return !verdict_->is_known_wrong();
  }
  std::uint64_t want(std::uint64_t left) const noexcept { return pacing_.want(left); }
  void drop(std::uint32_t unit) noexcept { dropped_ = std::min(dropped_, units_.first(unit)); }

  bool steal() {
    has_looked_ = true;
    const double start = now();
    const auto [victim, word] = victims_.choose(member_, group_.words(), pacing_.cost(), pacing_.shortest());
    Range stolen;
    const bool has_stolen = victim != Victims::k_none && member_.steal(victim, word, stolen);
    const double end = now();
    account_.stealing += end - start;
    if (!has_stolen) return false;
    from_ = victim;
    Stolen& account = account_.stolen_from[victim];
    ++account.steals, account.iterations += units_.first(stolen.end) - units_.first(stolen.begin);
    if (options_.on_steal && stolen.begin < events_.bound() && stolen.end <= units_.count()) {
      const std::uint64_t first = units_.first(stolen.begin);
      try {
        options_.on_steal(first, units_.first(stolen.end));
      } catch (...) {
        events_.note(first, std::current_exception());
        events_.bound(0);
      }
      account_.fetching += now() - end;
    }
    return true;
  }

  /// Exchanges events with the other ranks: sends those of this rank, and reads theirs.
  std::uint32_t bound() {
    try {
      if (is_stopped_()) events_.bound(0);
    } catch (...) {
      events_.note(0, std::current_exception());
      events_.bound(0);
    }
    const std::uint32_t others = member_.bound();
    if (const std::uint32_t here = events_.bound(); here < others)
      member_.bound_all(here);
    else
      events_.bound(others);
    return events_.bound();
  }

  /// After a round without work. The other ranks of this node may need the processor.
  static void wait(unsigned rounds) noexcept {
    const timespec time{0, nap_after(rounds)};
    if (time.tv_nsec == 0)
      sched_yield();
    else
      nanosleep(&time, nullptr);
  }

private:
  /// Gives back the units of a piece that are not `done`, and drops the units behind the first event of
  /// all ranks.
  void leave(Range piece, const std::vector<Range>& done) {
    const std::uint32_t first_dropped = bound();
    const auto leave_one = [&](Range rest) {
      if (rest.empty()) return;
      const std::uint32_t kept = std::clamp(first_dropped, rest.begin, rest.end);
      member_.give_back({rest.begin, kept});
      member_.count(rest.end - kept);
      if (kept != rest.end) drop(kept);
    };
    std::uint32_t end = piece.end;
    for (auto part = done.rbegin(); part != done.rend(); ++part) {
      leave_one({part->end, end});
      end = part->begin;
    }
    leave_one({piece.begin, end});
  }

  void show_cost() {
    const auto cost = static_cast<float>(pacing_.cost());
    if (cost < shown_ * 1.1F && cost > shown_ * 0.9F) return;
    shown_ = cost;
    group_.words().store(Slot::cost, std::bit_cast<std::uint32_t>(cost));
  }

  void remember(Range part, double seconds) noexcept {
    const double scale = static_cast<double>(seconds_.size()) / cut_.units();
    const double begin = part.begin * scale, end = part.end * scale;
    for (auto section = static_cast<std::size_t>(begin);
         section < seconds_.size() && static_cast<double>(section) < end; ++section) {
      const double from = std::max(begin, static_cast<double>(section));
      const double to = std::min(end, static_cast<double>(section + 1));
      seconds_[section] += seconds * (to - from) / (end - begin);
    }
  }

  Group& group_;
  Group::Entered entered_;
  const Options& options_;
  std::function<bool()> is_stopped_;
  Units units_;
  FirstCut cut_;
  Pacing pacing_;
  Victims victims_;
  Member<Words> member_;
  Events events_;
  std::optional<Verdict> verdict_;
  WrongUse wrong_;
  Account::Loop& loop_;
  LoopAccount& account_;
  std::uint32_t from_; // the rank from which all units came that this one has: it steals when it has none
  bool has_looked_ = false;
  std::uint64_t operations_before_;
  std::vector<double> seconds_; // seconds of each section; empty: not wanted
  std::uint64_t dropped_ = Events::k_none;
  float shown_ = 0;
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
