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

/// Executes elements [begin, end), at most `most` at a time. Returns false if the call has ended.
inline bool do_in_pieces(const core::ErasedBody& body, std::uint64_t begin, std::uint64_t end,
                         std::uint64_t most) noexcept {
  Result<Nothing> nothing;
  for (std::uint64_t from = begin; from != end;) {
    const std::uint64_t to = from + std::min(most, end - from);
    if (!do_batch(body, from, to, nothing.slot())) return false;
    from = to;
  }
  return true;
}

/// A loop on ranges.
struct RangeLoopOf {
  std::uint64_t units;
  std::uint64_t number; // of the loop, among those of its cells
  std::uint32_t members;
  std::uint32_t places;   // at least as many; each has a cell
  std::uint64_t unit = 1; // elements
};

/// Shares out the units of `of`. place_of(member) is another one for each member, and execute(body, batch,
/// place) returns whether the call goes on.
template <class Loop, class PlaceOf, class Execute>
void share_by_ranges(const FoldCall& fold, const FoldState& state, Observed& call, Loop& loop,
                     const RangeLoopOf& of, PlaceOf&& place_of, Execute&& execute) {
  core::Settings settings = fold.settings();
  settings.clocked = call.is_measured();
  const std::uint64_t least =
      units_for(std::min(call.min_chunk(fold.options.min_chunk()), fold.options.max_chunk()), of.unit);
  on_members(
      of.members, *state.control,
      [&](std::uint32_t member, std::uint32_t all) {
        FoldState own = state;
        const core::ErasedBody body{&own, &fold.calls};
        const std::uint64_t began = call.is_measured() ? core::StdPlatform::ticks() : 0;
        const std::uint32_t place = place_of(member);
        core::NoMemory none;
        core::RangeWorker<core::StdPlatform> worker;
        // One more than there are: the last iteration is handed out apart from the others.
        worker.enter(
            loop, none,
            {of.units + 1, of.number, of.number, place, of.places, &settings, least, nullptr, nullptr});
        core::Range batch;
        while (!body.has_ended() && worker.next(batch) && !batch.last)
          if (!execute(body, batch, place)) break;
        core::Counts counts = worker.counts();
        if (batch.last) --counts.batches;
        counts.iterations = own.done;
        if (call.is_measured()) call.add(member, all, began, counts);
      },
      fold.options.place());
}

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
  share_by_ranges(
      fold, state, call, loop, {n - offset, 1, members, members}, [](std::uint32_t member) { return member; },
      [&](const core::ErasedBody& body, core::Range batch, std::uint32_t) {
        return do_in_pieces(body, batch.begin, batch.end, fold.options.max_chunk());
      });
  control.finish();
}

} // namespace detail
} // namespace v1
} // namespace wstree
