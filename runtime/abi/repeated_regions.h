// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions that are one static loop, and whose outlined function may be called again: members execute the loop
// piece by piece, and take pieces from each other.
#pragma once

#include "loop_entry.h"
#include "own_first.h"
#include "proof.h"
#include "repeated_cost.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace wstree::abi {

/// A function that regions execute, and the proof and the costs of it. Lives as long as the process.
class RepeatableFunction {
public:
  explicit RepeatableFunction(const void* code) noexcept : code_(code) {}

  const void* code() const noexcept { return code_; }
  const proof::Verdict& verdict() const noexcept { return verdict_; }
  /// Returns the costs of regions of `iterations`; 0: they are not known before the fork.
  loop::RepeatedCost& cost(std::uint64_t iterations) noexcept { return costs_->of(iterations); }
  bool may_repeat() const noexcept { return verdict_.kind != proof::Verdict::Kind::refused; }
  /// Keeps the verdict. Without memory for the costs it is a no.
  void decide(const proof::Verdict& verdict) noexcept;

private:
  const void* code_;
  proof::Verdict verdict_;
  loop::RepeatedCosts* costs_ = nullptr; // of a function that may be called again
};

/// Returns the function `code` if regions that execute it may be served; nullptr: they may not, or it is not
/// known yet. The first call for a function reads its machine code, which takes up to some milliseconds.
/// `caller` opens a region.
RepeatableFunction* find_repeatable(const void* code, const void* caller) noexcept;
/// One execution of such a function by a team, from before the fork until after the join. On the stack of the
/// opener. The items of a loop are its iterations, or pieces if only the function has the iterations.
class RepeatedRegion {
public:
  /// `iterations`: 0 if they are not known before the fork. `is_whole`: members get their shares whole.
  /// `is_recorded`: the profile needs all items, as pieces of the tree.
  RepeatedRegion(RepeatableFunction& function, const ServedAs& as, const void* caller,
                 std::uint64_t iterations, bool is_whole, bool is_recorded) noexcept
      : function_(function), as_(as), caller_(caller), known_(function.cost(iterations).known()),
        known_iterations_(iterations), is_whole_(is_whole), is_recorded_(is_recorded) {
    known_.was_even &= !is_recorded;
  }
  /// After the join.
  ~RepeatedRegion();
  RepeatedRegion(const RepeatedRegion&) = delete;
  RepeatedRegion& operator=(const RepeatedRegion&) = delete;

  const proof::Verdict& verdict() const noexcept { return function_.verdict(); }
  const void* code() const noexcept { return function_.code(); }
  std::uint64_t known_iterations() const noexcept { return known_iterations_; }
  /// Returns the number of pieces that each member should have, equal for all members of a team; 1: the
  /// member gets its share whole.
  std::uint64_t pieces_each(std::uint64_t iterations, std::uint32_t members) const noexcept {
    if (is_whole_ || (iterations != 0 && iterations <= members)) return 1;
    return known_.pieces_each(iterations, members, *as_.settings);
  }
  /// Returns whether the loop of a region that is not cut is served all the same, because it is measured.
  bool is_measured() const noexcept { return as_.settings->clocked; }
  /// Returns the items, of which each member executes `own` before it shares.
  loop::OwnFirst items(std::uint64_t count, std::uint32_t members, std::uint64_t own) const noexcept {
    return {count, members, is_recorded_ ? 0 : own};
  }

  /// Begins the loop in the member of `frame`, which takes units of `items` by Member::next(), `smallest` at
  /// least. An item has `size` iterations. The costs of items are remembered under `place`. `is_whole`: it
  /// gets its share whole. Returns false, to all members, if there is no memory.
  bool begin(Frame& frame, const loop::OwnFirst& items, bool is_whole, std::uint64_t smallest,
             std::uint64_t size, const void* place) const noexcept;

  /// A member of `members` has executed `done` of `items` in so many ticks.
  void add(std::uint64_t ticks, std::uint64_t done, std::uint64_t items, std::uint64_t iterations,
           std::uint32_t members) noexcept;

private:
  RepeatableFunction& function_;
  ServedAs as_;
  const void* caller_;
  loop::KnownCost known_;
  std::uint64_t known_iterations_;
  std::uint64_t began_ = Platform::ticks();
  bool is_whole_;
  bool is_recorded_;
  // relaxed: the opener reads them after the join.
  std::atomic<std::uint64_t> work_{0};  // ticks of all members that have executed pieces
  std::atomic<std::uint64_t> moved_{0}; // items that members have executed above their shares
  // All members write the same:
  std::atomic<std::uint64_t> items_{0}; // 0: the loop was not cut
  std::atomic<std::uint64_t> iterations_{0};
  std::atomic<std::uint32_t> members_{1};
};

/// A region that the calling thread opens, from before the fork until after the join: repeated if its
/// function may be called again, and options, rules and hints have it so; timed if its members execute brief
/// shares as they are.
class MaybeRepeated {
public:
  MaybeRepeated() noexcept = default;
  MaybeRepeated(const MaybeRepeated&) = delete;
  MaybeRepeated& operator=(const MaybeRepeated&) = delete;
  ~MaybeRepeated() {
    if (timed_ != nullptr) timed_->check_whole(core::elapsed(began_, Platform::ticks()), session().settings);
  }
  /// Before the fork. Takes the hint of the region. `source` as the compiler passes it, `data` as the
  /// function gets it.
  void choose(RepeatableFunction& function, const void* caller, const char* source,
              const void* data) noexcept;
  /// nullptr: the region is executed as it is.
  RepeatedRegion* region() noexcept { return region_ ? &*region_ : nullptr; }
  /// Returns whether the region is only timed: the runtime forks the program's function itself. The proof
  /// excludes that there is a loop of ours inside.
  bool is_timed() const noexcept { return timed_ != nullptr; }

private:
  std::optional<RepeatedRegion> region_;
  loop::RepeatedCost* timed_ = nullptr;
  std::uint64_t began_; // by the timed region
};

/// The answers to a function while the calling thread executes one of its pieces. The calls that go on at
/// these addresses are about the piece; all others get the runtime's answers.
struct PieceAnswers {
  const void* after_count = nullptr;
  const void* after_number = nullptr;
  const void* after_init = nullptr; ///< in kmpc::MemberPieces
  int count = 0;
  int number = 0;
  std::uint64_t items = 0; ///< items of the loop
  std::uint64_t own = 0;   ///< items among them that members do not share
  bool are_pieces = false; ///< only the function has the numbers of iterations in the items
};

} // namespace wstree::abi
