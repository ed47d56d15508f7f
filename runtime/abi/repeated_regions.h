// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions that are one static loop, and whose outlined function may be called again: members execute the loop piece by
// piece, and take pieces from each other.
#pragma once

#include "loop_entry.h"
#include "own_first.h"
#include "proof.h"
#include "repeated_cost.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace wstree::abi {

/// A function that regions execute, and what is known of it. Lives as long as the process.
class RepeatableFunction {
public:
  RepeatableFunction(const void* code, const void* caller) noexcept : code_(code), caller_(caller) {}

  const void* code() const noexcept { return code_; }
  const void* caller() const noexcept { return caller_; } ///< that has opened the first region
  const proof::Verdict& verdict() const noexcept { return verdict_; }
  loop::RepeatedCost& cost() noexcept { return cost_; }
  bool may_repeat() const noexcept { return verdict_.kind != proof::Verdict::Kind::refused; }
  void decide(const proof::Verdict& verdict) noexcept { verdict_ = verdict; }

private:
  const void* code_;
  const void* caller_;
  proof::Verdict verdict_;
  loop::RepeatedCost cost_;
};

/// Returns the function `code` if regions that execute it may be served; nullptr: they may not, or it is not known yet.
/// The first call for a function reads its machine code, which takes up to some milliseconds. `caller` opens a region.
RepeatableFunction* find_repeatable(const void* code, const void* caller) noexcept;
/// Calls visit(function) for each function that has been asked for and judged.
void visit_judged(void (*visit)(void* context, const RepeatableFunction& function) noexcept, void* context) noexcept;

/// One execution of such a function by a team, from before the fork until after the join. On the stack of the opener.
class RepeatedRegion {
public:
  /// `ruling`: what rules and hints say of the region.
  RepeatedRegion(RepeatableFunction& function, const ServedAs& as, const void* caller) noexcept
      : function_(function), as_(as), caller_(caller), known_(function.cost().known()) {}
  /// After the join.
  ~RepeatedRegion();
  RepeatedRegion(const RepeatedRegion&) = delete;
  RepeatedRegion& operator=(const RepeatedRegion&) = delete;

  RepeatableFunction& function() const noexcept { return function_; }
  /// The same for all members of a team.
  loop::PieceCount pieces(std::uint32_t members) const noexcept;
  /// Begins the loop in the member of `frame`, which takes units of `pieces` by Member::next(). Returns false, to all
  /// members alike, if there is no memory.
  bool begin(Frame& frame, std::uint64_t units, const loop::PieceCount& pieces) const noexcept;
  bool is_measured() const noexcept { return as_.settings->clocked; }

  /// A member of `members` has executed `done` of `pieces`, in so many ticks.
  void add(std::uint64_t ticks, std::uint64_t done, std::uint64_t pieces, std::uint32_t members) noexcept;
  /// A member has executed its whole share in so many ticks.
  void check_whole(std::uint64_t ticks, const loop::PieceCount& pieces) noexcept {
    if (ticks > pieces.longest) [[unlikely]]
      function_.cost().regret();
  }

private:
  RepeatableFunction& function_;
  ServedAs as_;
  const void* caller_;
  loop::KnownCost known_;
  // relaxed: the opener reads them after the join.
  std::atomic<std::uint64_t> work_{0};  // ticks of all members that have executed pieces; 0: none have
  std::atomic<std::uint64_t> moved_{0}; // pieces that members have executed above their shares
  std::atomic<std::uint64_t> pieces_{0};
  std::atomic<std::uint32_t> members_{0};
};

/// The answers that a function gets while the calling thread executes one of its pieces.
struct PieceAnswers {
  const void* after_count;
  const void* after_number;
  int count;
  int number;
  std::uint32_t own; ///< pieces of the loop that members do not share
};

} // namespace wstree::abi
