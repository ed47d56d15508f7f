// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds on the reduction tree, and how a fold begins.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/reduction/reduction.h"
#include "wstree/core/reduction/strategy_search.h"
#include "wstree/parallel/call.h"
#include "wstree/parallel/fold_body.h"
#include "wstree/parallel/folder.h"
#include "wstree/parallel/observed.h"
#include "wstree/parallel/site.h"
#include "wstree/parallel/storage_cache.h"

#include <cstdint>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Elements that members share out at a time: the tree counts fewer than 2^63.
inline constexpr std::uint64_t k_most_shared = std::uint64_t{1} << 62;

/// Units from `offset` to n-1 on a team. Their value is appended to `result`, which may be empty.
/// `cost`: ticks per unit; 0: not known.
[[gnu::cold]] inline void fold_on_team(const FoldCall& fold, FoldState& state, std::uint64_t offset,
                                       std::uint64_t n, std::uint32_t members, core::ValueSlot result,
                                       float cost) {
  using Reduction = core::AnyReduction<core::StdPlatform>;
  Control control;
  Observed call(fold.options, fold.where, std::min(n * fold.unit, fold.elements) - offset * fold.unit);
  members = call.members(members);
  state.control = &control;
  state.offset = offset;
  const core::ErasedBody body{&state, &fold.calls};
  StorageCache::Storage* const storage = StorageCache::mine().take(members);
  bool is_open = false;
  if (storage != nullptr) {
    {
      core::Settings settings = fold.settings();
      settings.clocked = call.is_measured();
      const std::uint64_t most = fold.most;
      const std::uint64_t least =
          std::min(units_for(call.min_chunk(fold.options.min_chunk()), fold.unit), most);
      Reduction reduction(*storage, {n - offset, members, settings, least, most, cost}, fold.calls,
                          fold.options.other_find());
      is_open = reduction.open();
      if (is_open) {
        on_members(
            members, control,
            [&](std::uint32_t member, std::uint32_t all) {
              FoldState own = state;
              const std::uint64_t began = call.is_measured() ? core::StdPlatform::ticks() : 0;
              core::Counts counts = reduction.take_part(member, {&own, &fold.calls});
              counts.iterations = own.done;
              if (call.is_measured()) call.add(member, all, began, counts);
            },
            fold.options.place());
        if (!control.has_ended()) reduction.finish(body, result);
      }
    }
    StorageCache::mine().give_back(storage);
  }
  if (!is_open) fold_alone(body, 0, n - offset, fold.step_alone(n - offset), result); // no memory
  control.finish();
}

/// The value of n > 0 units, in order, in `result`; or an exception. The caller begins alone, and gets a team
/// when about a microsecond has passed: most calls of most programs are shorter.
[[gnu::noinline]] inline void fold_any(const FoldCall& fold, FoldState& state, std::uint64_t n,
                                       core::ValueSlot result) {
  std::uint64_t done = 0;
  std::uint32_t members = 1;
  float cost = 0;
  {
    Control control;
    state.control = &control;
    const core::ErasedBody body{&state, &fold.calls};
    // A nested call may take the place in the table: then what is learned here is wrong there, until it is
    // learned anew.
    Site& site = t_sites.at(fold.key);
    done = begin_alone(body, site, n, fold.least, fold.most, result);
    if (done != n) {
      cost = site.cost();
      members = static_cast<std::uint32_t>(std::min<std::uint64_t>(most_members(fold.options), n - done));
      if (members <= 1) fold_alone(body, done, n, fold.step_alone(n), result);
    }
    control.finish();
  }
  if (members <= 1) return;
  for (std::uint64_t end; done != n; done = end) {
    end = done + std::min(n - done, k_most_shared);
    fold_on_team(fold, state, done, end, members, result, cost);
  }
}

/// The same for a folder of units 0 to n-1.
template <execution_policy Policy, folder Folder>
void fold_tree(const Policy& policy, std::uint64_t n, Folder& folder, Result<typename Folder::Value>& result,
               call_site where) {
  FoldState state = fold_state(policy, nullptr, folder);
  fold_any(fold_call(policy, n, folder, where), state, n, result.slot());
}

} // namespace detail
} // namespace v1
} // namespace wstree
