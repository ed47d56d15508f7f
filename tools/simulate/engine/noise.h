// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operating system that takes a core away now and then.
#pragma once

#include "machine_spec.h"
#include "virtual_time.h"

#include "wstree/core/platform.h"
#include "wstree/core/rng.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace wstree::simulate {

/// When each member is interrupted and for how long: both between 0 and twice their mean, all equally likely.
/// Independent of the members' work, so that two schedules meet the same noise.
class Interruptions {
public:
  Interruptions(const Noise& noise, std::uint32_t members, std::uint64_t seed)
      : noise_(noise), members_(members) {
    for (std::uint32_t m = 0; m < members; ++m) members_[m].random = core::Rng(seed * 1'000'003 + m);
  }
  /// Starts the interruptions of `member`, which begins at `now`.
  void start(std::uint32_t member, Time now) {
    Member& it = members_[member];
    it.next = now + draw(it, noise_.every);
  }
  /// Returns the time that noise adds to an action of `member` that begins at `now` and takes `time` alone.
  Time during(std::uint32_t member, Time now, Time time) {
    Member& it = members_[member];
    Time added = 0;
    while (it.next <= now + time + added) {
      const Time taken = draw(it, noise_.lasts);
      added += taken;
      it.next += taken + draw(it, noise_.every);
    }
    return added;
  }

private:
  struct Member {
    core::Rng random;
    Time next = 0;
  };
  /// Returns a random time of at least 1, so that time goes on.
  static Time draw(Member& member, Time mean) { return member.random.next() % (2 * mean + 1) + 1; }

  Noise noise_;
  std::vector<Member> members_;
};

/// One member stands still once, in the middle of its work: before the `at`-th of its steps that take time,
/// counted from 1 when it arrives.
struct Suspension {
  std::uint32_t member = 0;
  std::uint64_t at = 0; ///< 0: never
  Time lasts = 0;
};

/// A standstill of a member in one execution of a loop.
class Standstill {
public:
  explicit Standstill(const Suspension& plan) : plan_(plan) {}
  /// Returns the time that the standstill adds to the next step of `member`, which begins at `now`.
  Time before(std::uint32_t member, Time now) {
    if (member != plan_.member || ++steps_ != plan_.at) return 0;
    since_ = now;
    operation_ = latest_;
    return plan_.lasts;
  }
  /// Notes the operation on shared memory that `member` is about to execute; nothing: it executes a batch, or
  /// is not in the scheduler.
  void does(std::uint32_t member, std::optional<core::Tag> operation) {
    if (member == plan_.member) latest_ = operation;
  }
  std::optional<Time> since() const { return since_; }
  std::optional<core::Tag> operation() const { return operation_; }

private:
  Suspension plan_;
  std::uint64_t steps_ = 0;
  std::optional<core::Tag> latest_, operation_;
  std::optional<Time> since_;
};

} // namespace wstree::simulate
