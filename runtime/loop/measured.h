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

/// One execution, with the accounts of the members, which are theirs again when the report is done.
struct Execution : core::Execution {
  core::Cells<Account> accounts{};
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
    Execution all{{1, counts, counts.busy_ticks, core::elapsed(entered, now)}, {&own}};
    all.preempted_ticks = std::min(preempted, counts.busy_ticks);
    return report(all);
  }
  Account& own = ring.account();
  own = {counts, entered, now, std::min(preempted, counts.busy_ticks), recording, own.memory, ring.loop()};
  if (!ring.is_last(ring.slot().leavers.count(ring.use()))) return;
  Execution all{{ring.members()}, ring.accounts()};
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
    all.busy_max_ticks = std::max(all.busy_max_ticks, account.counts.busy_ticks);
    first = std::min(first, account.entered);
    last = std::max(last, account.left);
  }
  std::uint64_t work_end = 0; // after the first arrival
  for (std::uint32_t m = 0; m < ring.members(); ++m) {
    const Account& account = all.accounts[m];
    all.late_ticks += account.entered - first;
    all.preempted_ticks += account.preempted;
    if (account.counts.busy_ticks != 0)
      work_end = std::max(work_end, account.entered - first + account.counts.busy_ticks - account.preempted);
  }
  std::uint64_t occupied =
      all.total.busy_ticks - all.preempted_ticks; // by work, and by coming while there was some
  for (std::uint32_t m = 0; m < ring.members(); ++m)
    occupied += std::min(all.accounts[m].entered - first, work_end);
  const std::uint64_t mean = occupied / ring.members();
  all.most_uneven_ticks = work_end > mean ? work_end - mean : 0;
  all.total.nodes += ring.members(); // the roots
  all.wall_ticks = last - first;
  report(all);
}

} // namespace wstree::loop
