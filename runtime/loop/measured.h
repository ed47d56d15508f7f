// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A team's counts and times in a loop that was entered with Settings::clocked, for the member that leaves
// it last.
#pragma once

#include "any_worker.h"
#include "ring_member.h"

#include "wstree/core/platform.h"

#include <algorithm>
#include <cstdint>

namespace wstree::loop {

/// One execution of a loop by a whole team.
struct Execution {
  std::uint32_t members = 0;
  core::Counts total;
  std::uint64_t busy_max = 0;      ///< ticks of the member that was busy longest
  std::uint64_t wall = 0;          ///< ticks from the first arrival to the last departure
  core::Cells<Account> accounts{}; ///< the members' accounts; theirs again when the report is done
  std::uint64_t late = 0;          ///< ticks from the first arrival to each member's own, summed up
  /// Ticks that an even loop could save, as members came late and lost their processors.
  std::uint64_t most_uneven = ~std::uint64_t{0};
  std::uint64_t preempted = 0; ///< ticks in which the members had no processor, summed up
};

/// Writes the account of a member that leaves the loop, which it entered at `entered`, and in which it had no
/// processor for `preempted` ticks. If it is the last member, calls `report(Execution)`.
template <class P, class Sizes, class Report>
void measure(RingMember<P, Sizes>& ring, AnyWorker<P>& worker, std::uint64_t entered, std::uint64_t preempted,
             Report&& report) noexcept {
  const std::uint64_t now = P::ticks();
  const Recording* const recording = worker.stop_watching(now, preempted);
  core::Counts counts = worker.counts();
  if (worker.has_piece() && counts.batches != 0) counts.busy_ticks = core::elapsed(entered, now);
  if (ring.members() == 1) {
    Account own{counts, entered, now, 0, recording};
    Execution all{1, counts, counts.busy_ticks, core::elapsed(entered, now), {&own}};
    all.preempted = std::min(preempted, counts.busy_ticks);
    return report(all);
  }
  Account& own = ring.account();
  own = {counts, entered, now, std::min(preempted, counts.busy_ticks), recording, own.memory, ring.loop()};
  if (!ring.is_last(ring.slot().leavers.count(ring.use()))) return;
  Execution all{ring.members(), {}, 0, 0, ring.accounts()};
  std::uint64_t first = now;
  std::uint64_t last = now;
  for (std::uint32_t m = 0; m < ring.members(); ++m) {
    Account& account = all.accounts[m];
    // The account is of another loop: the member had departed. Members that are not the last one may read
    // its number.
    if (account.loop != ring.loop()) {
      account.counts = {};
      account.entered = account.left = now;
      account.preempted = 0;
      account.recording = nullptr;
    }
    all.total += account.counts;
    all.busy_max = std::max(all.busy_max, account.counts.busy_ticks);
    first = std::min(first, account.entered);
    last = std::max(last, account.left);
  }
  std::uint64_t work_end = 0; // after the first arrival
  for (std::uint32_t m = 0; m < ring.members(); ++m) {
    const Account& account = all.accounts[m];
    all.late += account.entered - first;
    all.preempted += account.preempted;
    if (account.counts.busy_ticks != 0)
      work_end = std::max(work_end, account.entered - first + account.counts.busy_ticks - account.preempted);
  }
  std::uint64_t occupied =
      all.total.busy_ticks - all.preempted; // by work, and by coming while there was some
  for (std::uint32_t m = 0; m < ring.members(); ++m)
    occupied += std::min(all.accounts[m].entered - first, work_end);
  const std::uint64_t mean = occupied / ring.members();
  all.most_uneven = work_end > mean ? work_end - mean : 0;
  all.total.nodes += ring.members(); // the roots
  all.wall = last - first;
  report(all);
}

} // namespace wstree::loop
