// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The speed of each member of a virtual machine, and the times at which it changes.
#pragma once

#include "machine_spec.h"
#include "virtual_time.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace wstree::simulate {

/// The members of one machine. Iterations are divided where speeds change; where members share a core or the
/// memory, their speeds depend on the other members, and iterations are divided every `k_slice`.
class Speeds {
public:
  Speeds(const MachineSpec& machine, std::uint32_t members)
      : machine_(&machine), are_in_loop_(members), are_busy_(members) {
    std::vector<std::uint32_t> kinds;
    for (std::uint32_t m = 0; m < members; ++m) kinds.push_back(machine.speed(m));
    std::ranges::sort(kinds, std::greater<>());
    const auto end = std::unique(kinds.begin(), kinds.end());
    for (std::uint32_t m = 0; m < members; ++m)
      kinds_.push_back(
          static_cast<std::uint32_t>(std::find(kinds.begin(), end, machine.speed(m)) - kinds.begin()));
  }

  bool are_constant() const {
    return machine_->changes.empty() && machine_->smt == 0 && machine_->memory.part == 0;
  }
  /// The part of some work, which `member` begins at `now`, until its speed may change.
  struct Step {
    Time takes = 0;
    Time done = 0; ///< part of the work
  };
  /// `is_iteration`: the work may wait for memory.
  Step step(std::uint32_t member, Time now, Time work, bool is_iteration) const {
    const double rate = this->rate(member, now, is_iteration);
    const double whole = static_cast<double>(work) / rate;
    Time most = next_change(member, now) - now;
    if (machine_->smt != 0 || (is_iteration && machine_->memory.part != 0)) most = std::min(most, k_slice);
    if (whole <= static_cast<double>(most)) return {static_cast<Time>(whole), work};
    return {most, std::min(static_cast<Time>(static_cast<double>(most) * rate), work)};
  }
  std::uint32_t kind_of(std::uint32_t member) const { return std::min(kinds_[member], k_most_kinds - 1); }
  static constexpr std::uint32_t k_most_kinds = 4;

  /// Returns the time of work that no change interrupts.
  Time takes(std::uint32_t member, Time now, Time work) const {
    return static_cast<Time>(static_cast<double>(work) / rate(member, now, false));
  }
  /// Returns the factor by which a member misjudges its speed; empty: none does.
  std::function<double(std::uint32_t member)> error;

  void set_in_loop(std::uint32_t member, bool is) { are_in_loop_[member] = is; }
  void set_busy(std::uint32_t member, bool is) {
    busy_ += (is ? 1 : 0) - static_cast<std::int32_t>(are_busy_[member]);
    are_busy_[member] = is;
  }

  /// Returns the work that all members together do in `time` from `begin` on.
  double done_by_all(Time begin, Time time) const {
    double done = 0;
    for (std::uint32_t m = 0; m < are_busy_.size(); ++m) done += done_by(m, begin, time, true);
    return done;
  }
  /// Returns the work that the fastest member does in that time while the others do nothing.
  double done_by_one(Time begin, Time time) const {
    double done = 0;
    for (std::uint32_t m = 0; m < are_busy_.size(); ++m)
      done = std::max(done, done_by(m, begin, time, false));
    return done;
  }

private:
  static constexpr Time k_slice = 1'000 * k_ns;

  std::uint32_t members() const { return static_cast<std::uint32_t>(are_busy_.size()); }
  /// Returns the speed of the core, without the part that other members take from it.
  double core(std::uint32_t member, Time now) const {
    double speed = machine_->speed(member) / 1'000.0;
    for (const Change& change : machine_->changes)
      if (change.concerns(member, members()) && change.is_on(now)) speed *= change.part / 1'000.0;
    return speed;
  }
  double rate_of(double core, bool shares_core, double waiting) const {
    if (shares_core) core *= machine_->smt / 1'000.0;
    const double memory = machine_->memory.part / 1'000.0;
    return 1 / ((1 - memory * (waiting > 0)) / core + memory * waiting);
  }
  /// Returns a member's wait for memory if so many are busy, as a multiple of its wait alone.
  double waiting(std::uint32_t busy) const {
    return std::max(1.0, static_cast<double>(busy) / std::max(machine_->memory.members, 1U));
  }
  double rate(std::uint32_t member, Time now, bool is_iteration) const {
    const std::uint32_t sibling = member ^ 1U;
    const bool shares = machine_->smt != 0 && sibling < members() && are_in_loop_[sibling];
    return rate_of(core(member, now), shares, is_iteration ? waiting(static_cast<std::uint32_t>(busy_)) : 0);
  }
  Time next_change(std::uint32_t member, Time now) const {
    Time next = std::numeric_limits<Time>::max();
    for (const Change& change : machine_->changes)
      if (change.concerns(member, members())) next = std::min(next, change.next(now));
    return next;
  }
  double done_by(std::uint32_t member, Time begin, Time time, bool with_all) const {
    const bool shares = with_all && machine_->smt != 0 && (member ^ 1U) < members();
    double done = 0;
    for (Time now = begin; now < begin + time;) {
      const Time end = std::min(next_change(member, now), begin + time);
      done += static_cast<double>(end - now) *
              rate_of(core(member, now), shares, waiting(with_all ? members() : 1));
      now = end;
    }
    return done;
  }

  const MachineSpec* machine_;
  std::vector<std::uint32_t> kinds_;
  std::vector<bool> are_in_loop_; // and take the time of a core
  std::vector<bool> are_busy_;    // with iterations
  std::int32_t busy_ = 0;
};

} // namespace wstree::simulate
