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
class RangeShare {
public:
  using Worker = core::RangeWorker<core::StdPlatform>;

  RangeShare(const core::ErasedBody& body, std::uint64_t elements, std::uint64_t most) noexcept
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
    Result<Nothing> nothing;
    for (; batch.begin != batch.end; batch.begin += std::min(most_, batch.end - batch.begin)) {
      const std::uint64_t end = batch.begin + std::min(most_, batch.end - batch.begin);
      if (!do_batch(body_, batch.begin, end, nothing.slot())) return false;
    }
    return true;
  }

  const core::ErasedBody& body_;
  std::uint64_t elements_;
  std::uint64_t most_; // elements of a batch
};

/// As fold_on_team().
template <class Platform>
void fold_on_ranges(const FoldCall& fold, FoldState& state, std::uint64_t offset, std::uint64_t n,
                    std::uint32_t members, core::ValueSlot result, float) {
  using Cell = core::RangeCell<Platform>;
  Control control;
  Observed call(fold.options, fold.where, n - offset);
  members = call.members(members);
  state.control = &control;
  state.offset = offset;
  struct Cells {
    Cell* const first;
    ~Cells() { delete[] first; }
  } const cells{new (std::nothrow) Cell[members]};
  if (cells.first == nullptr) {
    fold_alone({&state, &fold.calls}, 0, n - offset, fold.step_alone(n - offset), result);
    return control.finish();
  }
  core::RangeLoop<Platform> loop;
  loop.cells.first = cells.first;
  core::Settings settings = fold.settings();
  settings.clocked = call.is_measured();
  const CallOptions& options = fold.options;
  const std::uint64_t least = std::min(call.min_chunk(options.min_chunk()), options.max_chunk());
  on_members(
      members, control,
      [&](std::uint32_t member, std::uint32_t all) {
        FoldState own = state;
        const core::ErasedBody body{&own, &fold.calls};
        const std::uint64_t began = call.is_measured() ? core::StdPlatform::ticks() : 0;
        RangeShare share(body, n - offset, options.max_chunk());
        const core::Counts counts =
            share.run(loop, {1, 1, 1, member, members, &settings, least, nullptr, nullptr});
        if (call.is_measured()) call.add(member, all, began, counts);
      },
      options.place());
  control.finish();
}

} // namespace detail
} // namespace v1
} // namespace wstree
