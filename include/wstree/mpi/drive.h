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

/// Used by the calling thread alone, the only one that calls MPI; all members of the team use `events`.
class Drive {
public:
  /// `agreed`: without the cut, which the Drive sets. `grain`: units of which shares are multiples.
  Drive(Group& group, const Options& options, Units units, Agreed agreed, std::function<bool()> is_stopped,
        call_site where = {}, std::uint32_t grain = 1)
      : group_(group), entered_(group), call_(group.next_call()), options_(options),
        is_stopped_(std::move(is_stopped)), units_(units), board_(group.words().board()), begin_(now()),
        loop_(group.account().of(options.label, where)), account_(loop_.second),
        cut_(units.count(), group.ranks(),
             options.remembered != nullptr && !options.remembered->sections().empty()
                 ? options.remembered->sections()
                 : options.weights,
             grain),
        pacing_(threads_of_team(), group.operation(), (options.chunk - 1) / units.size + 1,
                has_name(options, where) ? account_.cost * static_cast<double>(units.size) : 0),
        victims_(group.rank(), group.ranks(), group.near()),
        member_(group.words(), group.rank(), group.ranks()),
        wrong_(wrong_use_here(options.root, group.ranks())), from_(group.rank()),
        operations_before_(group.words().operations()) {
    agreed.cut = cut_.fingerprint();
    verdict_.emplace(group.comm(), board_, agreed, wrong_);
    ++account_.executions;
    if (wrong_ == WrongUse::none) member_.open(call_, cut_, group.done());
    if (board_ != nullptr && pacing_.cost() > 0) show_cost();
    if (options.remembered != nullptr) seconds_.assign(std::max<std::size_t>(256, 8 * group.ranks()), 0);
  }
  Drive(const Drive&) = delete;
  Drive& operator=(const Drive&) = delete;

  Events& events() noexcept { return events_; }
  const Units& units() const noexcept { return units_; }
  /// Returns the first element that was left undone because of an event or a stop; Events::k_none: there
  /// is none.
  std::uint64_t dropped() const noexcept { return dropped_; }
  /// Returns the seconds in which the team has executed pieces.
  double worked() const noexcept { return worked_; }
  /// Returns the seconds that a piece is expected to take the team; 0: not known.
  double expected(Range piece) const noexcept { return pacing_.cost() * piece.size(); }
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
  /// chunk took `chunk`, and a member `waited` for others at the end, in the mean; the rest goes back, but
  /// not the units behind an event, which may have been begun.
  void ran(Range piece, const std::vector<Range>& done, double seconds, double chunk, double waited = 0) {
    std::uint64_t units = 0;
    for (const Range& part : done) units += part.size();
    member_.count(units);
    pacing_.ran(units, seconds - waited, chunk);
    if (units != piece.size()) leave(piece, done);
    show_cost();
    if (!seconds_.empty())
      for (const Range& part : done) remember(part, seconds * part.size() / static_cast<double>(units));
    for (const Range& part : done) account_.iterations += units_.first(part.end) - units_.first(part.begin);
    account_.working += seconds, worked_ += seconds, ++account_.pieces;
    idle_since_ = 0, is_mpi_due_ = is_mpi_due_ || board_ == nullptr || seconds > k_brief;
    const double end = now();
    for (const Range& part : done)
      group_.account().add(
          {&loop_.first, end - seconds, end, units_.first(part.begin), units_.first(part.end), from_});
  }

  /// Sets what writes the rank's packet when it rests.
  void rests_with(std::function<void(Board&)> write) { write_ = std::move(write); }

  /// No more pieces: waits until it is known whether all ranks make the same call. If not, throws on all.
  void finish() {
    rest();
    if (board_ != nullptr)
      wait_until([&] { return board_->all_rest(); }, group_.comm(), board_->keeps_processor());
    account_.operations += group_.words().operations() - operations_before_;
    account_.learn(pacing_.cost() / static_cast<double>(units_.size));
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
    if (is_mpi_due_)
      check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, group_.comm(), &is_there, MPI_STATUS_IGNORE));
    is_mpi_due_ = board_ == nullptr;
    if (is_resting_ && board_->all_rest()) return false;
    return !verdict_->is_known_wrong();
  }
  std::uint64_t want(std::uint64_t left) const noexcept { return pacing_.want(left); }
  void drop(std::uint32_t unit) noexcept { dropped_ = std::min(dropped_, units_.first(unit)); }

  bool steal() {
    has_looked_ = true;
    const double start = now();
    const auto [victim, word] = victims_.choose(member_, group_.words(), pacing_.cost(), pacing_.shortest());
    Range stolen;
    const bool has_stolen =
        victim != Victims::k_none && !is_little(victim, word, start) && wake() &&
        (board_ != nullptr ? member_.steal(victim, stolen) : member_.steal(victim, word, stolen));
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

  /// The rank has no work: its packet is there for the other ranks, until it wakes up.
  void rest() {
    if (board_ == nullptr || is_resting_) return;
    write_(*board_);
    is_resting_ = true;
    thrower_at_rest_ = events_.thrower();
  }

  bool is_resting() const noexcept { return is_resting_; }

  /// Exchanges events with the other ranks: sends those of this rank, and reads theirs.
  std::uint32_t bound() {
    try {
      if (is_stopped_()) events_.bound(0);
    } catch (...) {
      events_.note(0, std::current_exception());
      events_.bound(0);
    }
    if (is_resting_ && events_.thrower() != thrower_at_rest_) wake(); // and rests with another packet
    const std::uint32_t others = member_.bound();
    if (const std::uint32_t here = events_.bound(); here < others)
      member_.bound_all(here);
    else
      events_.bound(others);
    return events_.bound();
  }

  /// After a round without work. Where each rank of the node has a processor of its own, the rank looks again
  /// and again at first: others are nearly there.
  void wait(unsigned rounds) {
    const double time = now();
    if (idle_since_ == 0) idle_since_ = time, rounds_kept_ = 0;
    if (board_ != nullptr && board_->keeps_processor() > k_keeps_processor &&
        time - idle_since_ < board_->keeps_processor()) {
      core::StdPlatform::relax();
      rounds_kept_ = rounds;
      is_mpi_due_ = rounds % 64 == 63;
      return;
    }
    is_mpi_due_ = true;
    const timespec pause{0, nap_after(rounds - rounds_kept_)};
    if (pause.tv_nsec == 0)
      sched_yield();
    else
      nanosleep(&pause, nullptr);
  }

private:
  /// Returns whether the name is that of one loop; those of C and Fortran may have none.
  static bool has_name(const Options& options, call_site where) noexcept {
    return options.label != nullptr || where.file != nullptr;
  }

  /// Returns whether the rank may steal: not when all rest, as others may then be in the next call.
  bool wake() noexcept {
    if (is_resting_ && !board_->wake()) return false;
    is_resting_ = false;
    return true;
  }

  /// Returns whether the units left to `victim`, whose word was `word`, are not worth a steal: the bound is
  /// an eighth of the call's time so far. A rank that has waited for longer than that takes them.
  bool is_little(std::uint32_t victim, std::uint64_t word, double time) {
    if (board_ == nullptr) return false;
    const double little = std::clamp((time - begin_) / 8, k_brief, 200e-6);
    if (idle_since_ != 0 && time - idle_since_ > little) return false;
    const auto bits = static_cast<std::uint32_t>(group_.words().load(victim, Slot::cost));
    const double cost = bits != 0 ? static_cast<double>(std::bit_cast<float>(bits)) : pacing_.cost();
    return member_.left_in(victim, word).size() * cost < little;
  }

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

  static constexpr double k_brief = 25e-6; // seconds

  Group& group_;
  Group::Entered entered_;
  std::uint32_t call_; // may have made new words
  const Options& options_;
  std::function<bool()> is_stopped_;
  Units units_;
  Board* board_; // nullptr: the ranks are on several nodes
  double begin_; // the time when the call began
  Account::Loop& loop_;
  LoopAccount& account_;
  FirstCut cut_;
  Pacing pacing_;
  Victims victims_;
  Member<Words> member_;
  Events events_;
  std::optional<Verdict> verdict_;
  WrongUse wrong_;
  std::uint32_t from_; // the rank from which all units came that this one has: it steals when it has none
  bool has_looked_ = false;
  std::uint64_t operations_before_;
  std::vector<double> seconds_; // seconds of each section; empty: not wanted
  std::uint64_t dropped_ = Events::k_none;
  float shown_ = 0;
  double worked_ = 0;
  std::function<void(Board&)> write_;
  bool is_resting_ = false;
  std::uint64_t thrower_at_rest_ = Events::k_none;
  double idle_since_ = 0;    // the time since when the rank has had no work; 0: it has some
  unsigned rounds_kept_ = 0; // rounds without work in which it kept its processor
  bool is_mpi_due_ = false;  // MPI may have to serve other ranks
};

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
