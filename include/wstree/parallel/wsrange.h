// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls in which nothing is combined, on work-stealing ranges instead of the tree: par().schedule(wsrange).
// Not part of <wstree/parallel.hpp>, because few need it.
#pragma once

#include "wstree/core/range/worker.h"
#include "wstree/parallel/call.h"
#include "wstree/parallel/fold_body.h"
#include "wstree/parallel/fold_tree.h"
#include "wstree/parallel/folder.h"
#include "wstree/parallel/observed.h"
#include "wstree/parallel/site.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <type_traits>

namespace wstree {
inline namespace v1 {

/// For schedule() of a policy.
inline constexpr std::integral_constant<stealing, stealing::from_ranges> wsrange;

namespace detail {

/// What one member does. Elements have the numbers 0 to elements-1.
template <class Body> class RangeShare {
public:
  using Worker = core::RangeWorker<core::StdPlatform>;

  RangeShare(Body& body, std::uint64_t elements, std::uint64_t most) noexcept
      : body_(body), elements_(elements), most_(most) {}

  core::Counts run(core::RangeLoop<core::StdPlatform>& loop, core::Entry entry) noexcept {
    // One more than there are: the last iteration of a loop is handed out apart from the other iterations.
    entry.iterations = elements_ + 1;
    core::NoMemory none;
    Worker worker;
    worker.enter(loop, none, entry);
    core::Range batch;
    while (!body_.has_ended() && worker.next(batch) && !batch.last)
      if (!execute(batch)) break;
    core::Counts counts = worker.counts();
    if (batch.last) --counts.iterations, --counts.batches;
    return counts;
  }

private:
  bool execute(core::Range batch) noexcept {
    Result<typename Body::Value> nothing;
    for (; batch.begin != batch.end; batch.begin += std::min(most_, batch.end - batch.begin)) {
      const std::uint64_t end = batch.begin + std::min(most_, batch.end - batch.begin);
      if (!body_.goes_on() || !do_batch(body_, batch.begin, end, nothing)) return false;
    }
    return true;
  }

  Body& body_;
  std::uint64_t elements_;
  std::uint64_t most_; // elements of a batch
};

/// As fold_on_team().
template <class Policy, class Folder>
[[gnu::noinline]] void fold_on_ranges(const Policy& policy, std::uint64_t offset, std::uint64_t n,
                                      std::uint32_t members, Folder& folder, call_site where) {
  using Body = FoldBody<Policy, Folder>;
  using Cell = core::RangeCell<core::StdPlatform>;
  Control control;
  Observed call(policy.at(where), n - offset);
  members = call.members(members);
  Body body{policy, control, folder, offset};
  struct Cells {
    Cell* const first;
    ~Cells() { delete[] first; }
  } const cells{new (std::nothrow) Cell[members]};
  if (cells.first == nullptr) {
    Result<typename Folder::Value> nothing;
    fold_alone(body, 0, n - offset, step_alone<Folder>(policy, n - offset), nothing);
    return control.finish();
  }
  core::RangeLoop<core::StdPlatform> loop;
  loop.cells.first = cells.first;
  core::Settings settings = settings_of(policy);
  settings.clocked = call.is_measured();
  const std::uint64_t least = std::min(call.min_chunk(policy.min_chunk()), policy.max_chunk());
  on_members(
      members, control,
      [&](std::uint32_t member, std::uint32_t all) {
        Body own = body;
        const std::uint64_t began = call.is_measured() ? core::StdPlatform::ticks() : 0;
        RangeShare<Body> share(own, n - offset, policy.max_chunk());
        const core::Counts counts =
            share.run(loop, {1, 1, 1, member, members, &settings, least, nullptr, nullptr});
        if (call.is_measured()) call.add(member, all, began, counts);
      },
      policy.place());
  control.finish();
}

} // namespace detail
} // namespace v1
} // namespace wstree
