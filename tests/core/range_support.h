// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One slot of a team that schedules by ranges, used by one loop after the other.
#pragma once

#include "wstree/core/range/worker.h"

#include "usual.h"

namespace wstree::test {

/// What happens while a member waits is up to the test.
struct HookPlatform : core::StdPlatform {
  static inline std::uint64_t now = 1;
  static inline std::uint64_t waits = 0;
  static inline std::function<void()> while_waiting;
  static std::uint64_t ticks() noexcept { return now; }
  static void relax() noexcept {
    ++waits;
    if (while_waiting) while_waiting();
  }
  static void yield() noexcept { relax(); }
};

template <class P> class RangeTeam {
public:
  using Worker = core::RangeWorker<P>;

  explicit RangeTeam(std::uint32_t members)
      : members_(members), cells_(std::make_unique<core::RangeCell<P>[]>(members)), workers_(members) {
    loop_.cells.first = cells_.get();
  }

  core::RangeLoop<P>& loop() { return loop_; }
  core::RangeCell<P>& cell(std::uint32_t member) { return cells_[member]; }
  Worker& worker(std::uint32_t member) { return workers_[member]; }
  core::Entry entry(std::uint64_t n, std::uint64_t number, std::uint32_t member,
                    const core::Settings& settings, std::uint64_t smallest = 1,
                    const core::Neighbourhood* near = nullptr) const {
    return {n, number, number, member, members_, &settings, smallest, near};
  }
  void enter(std::uint32_t member, const core::Entry& entry) { workers_[member].enter(loop_, none_, entry); }
  void enter_all(std::uint64_t n, std::uint64_t number, const core::Settings& settings,
                 std::uint64_t smallest = 1) {
    for (std::uint32_t m = 0; m < members_; ++m) enter(m, entry(n, number, m, settings, smallest));
  }
  std::uint64_t unclaimed(std::uint64_t n, std::uint64_t number, const core::Settings& settings) {
    return Worker::unclaimed(loop_, entry(n, number, 0, settings));
  }

private:
  std::uint32_t members_;
  std::unique_ptr<core::RangeCell<P>[]> cells_;
  core::RangeLoop<P> loop_;
  core::NoMemory none_;
  std::vector<Worker> workers_;
};

} // namespace wstree::test
