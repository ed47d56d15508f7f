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

inline float per_element(std::uint64_t ticks, std::uint64_t elements) noexcept {
  return static_cast<float>(static_cast<std::int64_t>(ticks)) / static_cast<float>(elements);
}

/// Executes elements [begin, end) as one batch, behind those in `result`. Returns false if the call
/// has ended.
inline bool do_batch(const core::ErasedBody& body, std::uint64_t begin, std::uint64_t end,
                     core::ValueSlot result) noexcept {
  return *result.has_value ? body.extend(result, begin, end) : body.start(result, begin, end);
}

/// Executes [begin, n) in the caller: in one batch, or in `step`s where a token or counter needs them.
inline void fold_alone(const core::ErasedBody& body, std::uint64_t begin, std::uint64_t n, std::uint64_t step,
                       core::ValueSlot result) noexcept {
  while (begin != n) {
    const std::uint64_t end = n - begin > step ? begin + step : n;
    if (!do_batch(body, begin, end, result)) return;
    begin = end;
  }
}

/// Returns whether a call that has taken `elapsed` ticks, and should take `left` more, needs no more looks at
/// the clock: a team would gain all but a member's part of `left`, or the caller has no team.
template <class P = core::StdPlatform>
bool ends_beginning(const CallOptions& options, std::uint64_t elapsed, float left) noexcept {
  if (elapsed <= core::ticks_in<P>(core::tuning::k_alone_ns)) return false;
  const auto members = static_cast<float>(most_members(options));
  return members <= 1 ||
         left - left / members > static_cast<float>(core::ticks_in<P>(core::tuning::k_pays_ns));
}

/// Begins in the caller. Returns the number of elements done: all of them if the call is short, or has ended;
/// else a team is worth it.
inline std::uint64_t begin_alone(const FoldCall& fold, const core::ErasedBody& body, Site& site,
                                 std::uint64_t n, core::ValueSlot result) noexcept {
  if (site.needs_team(n)) return 0;
  const std::uint64_t longest = site.longest_step(n);
  const bool doubles = site.doubles();
  const auto half = static_cast<float>(core::ticks_in<core::StdPlatform>(core::tuning::k_alone_ns / 2));
  std::uint64_t step = std::min(std::max(std::min(site.first_step(), longest), fold.least), fold.most);
  const std::uint64_t since = core::StdPlatform::ticks();
  std::uint64_t before = 0;
  for (std::uint64_t done = 0;;) {
    const std::uint64_t begin = done, end = n - done > step ? done + step : n;
    if (!do_batch(body, begin, end, result)) return n;
    done = end;
    const std::uint64_t elapsed = core::elapsed(since, core::StdPlatform::ticks());
    const float cost = per_element(elapsed, done);
    if (done == n) {
      site.was_alone(n, elapsed, cost);
      return n;
    }
    // The dearer of all elements and those of the latest step: a rise of the cost counts at once.
    const float dearest = std::max(cost, per_element(elapsed - before, end - begin));
    if (ends_beginning(fold.options, elapsed, dearest * static_cast<float>(n - done))) {
      site.was_long(n, cost);
      return done;
    }
    // As many as should take half of k_alone_ns, but not much more than are known to be cheap.
    const float wanted = half / std::max(cost, 1e-3F);
    const float limit = static_cast<float>(done) * core::tuning::k_growth;
    step = std::min(static_cast<std::uint64_t>(std::min(wanted, limit)) + 1,
                    doubles ? std::max(longest, done) : longest);
    step = std::min(std::max(step, fold.least), fold.most);
    before = elapsed;
  }
}

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
      const auto each = static_cast<core::Cost>(cost * (1 << core::k_cost_bits));
      Reduction reduction(*storage, {n - offset, members, settings, least, most, each}, fold.calls,
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
    // A nested call may take the place in the table: then the costs from here are wrong there, until they are
    // measured anew.
    Site& site = t_sites.at(fold.key);
    done = begin_alone(fold, body, site, n, result);
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

/// Returns whether the caller executes all units of a call at once, as those that were brief before.
template <class Folder, execution_policy Policy>
[[gnu::always_inline]] inline bool is_brief_call(const Policy& policy, std::uint64_t n,
                                                 call_site where) noexcept {
  return policy.is_plain() && policy.max_chunk() / unit_of<Folder>() >= n &&
         t_sites.at(site_key<Folder>(where)).is_brief(n);
}

/// Folds the units of a call that is not known to be brief.
template <execution_policy Policy, folder Folder>
void fold_with_care(const Policy& policy, std::uint64_t n, Folder& folder,
                    Result<typename Folder::Value>& result, call_site where) {
  FoldState state = fold_state(policy, nullptr, folder);
  fold_any(fold_call(policy, n, folder, where), state, n, result.slot());
}

/// Folds the units 0 to n-1 of a folder.
template <execution_policy Policy, folder Folder>
void fold_tree(const Policy& policy, std::uint64_t n, Folder& folder, Result<typename Folder::Value>& result,
               call_site where) {
  if (is_brief_call<Folder>(policy, n, where)) {
    folder.start(result.place(), 0, n);
    return result.set();
  }
  fold_with_care(policy, n, folder, result, where);
}

/// Elements without values, pieces of which a loop executes: loop(begin, end).
template <class Loop> struct LoopFolder {
  using Value = Nothing;
  const Loop loop;

  void start(void*, std::uint64_t begin, std::uint64_t end) { loop(begin, end); }
  void extend(Nothing&, std::uint64_t begin, std::uint64_t end) { loop(begin, end); }
  static void combine(Nothing&, Nothing&) noexcept {}
};
template <class Loop, class Policy, class... Parts>
[[gnu::noinline]] void run_with_care(Passed<Policy> policy, std::uint64_t n, call_site where,
                                     Parts... parts) {
  LoopFolder<Loop> folder{Loop{parts...}};
  Result<Nothing> result;
  fold_with_care(policy, n, folder, result, where);
}
/// Executes a loop over n > 0 elements, Loop{parts...}(begin, end). A brief call leaves nothing in memory for
/// the others: compilers keep parts in registers, and write structs that are passed on before the decision.
template <class Loop, class Policy, class... Parts>
[[gnu::always_inline]] inline void run_loop(const Policy& policy, std::uint64_t n, call_site where,
                                            const Parts&... parts) {
  if (is_brief_call<LoopFolder<Loop>>(policy, n, where))
    Loop{parts...}(0, n);
  else
    run_with_care<Loop, Policy, Parts...>(policy, n, where, parts...);
}

} // namespace detail
} // namespace v1
} // namespace wstree
