// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds on the reduction tree, and how a fold begins.
#pragma once

#include "wstree/core/reduction/reduction.h"
#include "wstree/parallel/call.h"
#include "wstree/parallel/fold_body.h"
#include "wstree/parallel/folder.h"
#include "wstree/parallel/observed.h"
#include "wstree/parallel/site.h"
#include "wstree/parallel/storage_cache.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Elements that members share out at a time: the tree and the ranges count fewer than 2^63.
inline constexpr std::uint64_t k_most_shared = std::uint64_t{1} << 62;

/// Elements from `offset` to n-1 on a team. Their value is appended to `result`, which may be empty.
template <class Policy, class Folder>
[[gnu::noinline]] void fold_on_team(const Policy& policy, std::uint64_t offset, std::uint64_t n,
                                    std::uint32_t members, Folder& folder,
                                    Result<typename Folder::Value>& result, float cost, call_site where) {
  using Body = FoldBody<Policy, Folder>;
  using Reduction = core::Reduction<core::StdPlatform, Body>;
  Control control;
  Observed call(policy.at(where), elements_of(folder, offset, n));
  members = call.members(members);
  Body body{policy, control, folder, offset};
  Result<typename Folder::Value> rest;
  Result<typename Folder::Value>& value = result.has_value() ? rest : result;
  StorageCache::Storage* const storage = StorageCache::mine().take(members);
  bool is_open = false;
  if (storage != nullptr) {
    {
      core::Settings settings = settings_of(policy);
      settings.clocked = call.is_measured();
      const std::uint64_t most = most_units<Folder>(policy.max_chunk());
      const std::uint64_t least = least_units<Folder>(call.min_chunk(policy.min_chunk()));
      Reduction reduction(*storage, {n - offset, members, settings, std::min(least, most), most, cost});
      is_open = reduction.open();
      if (is_open) {
        on_members(
            members, control,
            [&](std::uint32_t member, std::uint32_t all) {
              Body own = body;
              const std::uint64_t began = call.is_measured() ? core::StdPlatform::ticks() : 0;
              core::Counts counts = reduction.take_part(member, own);
              counts.iterations = own.done;
              if (call.is_measured()) call.add(member, all, began, counts);
            },
            policy.place());
        if (!control.has_ended()) reduction.finish(body, value);
      }
    }
    StorageCache::mine().give_back(storage);
  }
  if (!is_open) fold_alone(body, 0, n - offset, step_alone<Folder>(policy, n - offset), value); // no memory
  control.finish();
  if (&value == &rest && rest.has_value()) folder.combine(result.value(), rest.value());
}

/// The same where the policy wants ranges: wsrange.h, which its caller has included to say so.
template <class Policy, class Folder>
void fold_on_ranges(const Policy& policy, std::uint64_t offset, std::uint64_t n, std::uint32_t members,
                    Folder& folder, call_site where);

/// The value of elements 0 to n-1, in order, n > 0, in `result`; or an exception. The caller begins alone,
/// and gets a team when about a microsecond has passed: most calls of most programs are shorter.
template <execution_policy Policy, folder Folder>
void fold_tree(const Policy& policy, std::uint64_t n, Folder& folder, Result<typename Folder::Value>& result,
               call_site where) {
  std::uint64_t done = 0;
  std::uint32_t members = 1;
  float cost = 0;
  {
    Control control;
    FoldBody<Policy, Folder> body{policy, control, folder, 0};
    // A nested call may take the place in the table: then what is learned here is wrong there, until it is
    // learned anew.
    Site& site = t_sites.at(site_key<Folder>(where));
    done = begin_alone(body, site, n, least_units<Folder>(policy.min_chunk()),
                       most_units<Folder>(policy.max_chunk()), result);
    if (done != n) {
      cost = site.cost();
      members = static_cast<std::uint32_t>(std::min<std::uint64_t>(most_members(policy), n - done));
      if (members <= 1) fold_alone(body, done, n, step_alone<Folder>(policy, n), result);
    }
    control.finish();
  }
  if (members <= 1) return;
  for (std::uint64_t end; done != n; done = end) {
    end = done + std::min(n - done, k_most_shared);
    if constexpr (Policy::uses_ranges && std::is_empty_v<typename Folder::Value>)
      fold_on_ranges(policy, done, end, members, folder, where);
    else
      fold_on_team(policy, done, end, members, folder, result, cost, where);
  }
}

} // namespace detail
} // namespace v1
} // namespace wstree
