// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder and a policy as the core's workers see them.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/platform.h"
#include "wstree/core/reduction/body.h"
#include "wstree/core/settings.h"
#include "wstree/parallel/control.h"
#include "wstree/parallel/folder.h"
#include "wstree/parallel/policy.h"
#include "wstree/parallel/site.h"

#include <cstdint>
#include <new>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// A member's state of a fold, independent of its types.
struct FoldState {
  const void* policy;
  Control* control;
  void* folder;
  std::uint64_t offset;   // the workers' first unit has the number 0
  std::uint64_t done = 0; // elements
};

/// A folder as the tree's workers see it: units from `offset` on; an exception of the folder ends the call.
template <class Policy, class Folder> struct FoldBody {
  using Value = typename Folder::Value;
  using State = FoldState;

  FoldState& state;

  bool has_ended() const noexcept { return state.control->has_ended(); }
  bool goes_on() const noexcept { return state.control->goes_on(policy()); }
  bool start(void* place, std::uint64_t begin, std::uint64_t end) const noexcept {
    return run(begin, end, [&](std::uint64_t from, std::uint64_t to) { folder().start(place, from, to); });
  }
  bool extend(Value& value, std::uint64_t begin, std::uint64_t end) const noexcept {
    return run(begin, end, [&](std::uint64_t from, std::uint64_t to) { folder().extend(value, from, to); });
  }
  bool combine(Value& left, Value& right, std::uint64_t at) const noexcept {
    return state.control->guard(state.offset + at, [&] { folder().combine(left, right); });
  }
  bool move(void* place, Value& value, std::uint64_t at) const noexcept {
    return state.control->guard(state.offset + at, [&] { ::new (place) Value(std::move(value)); });
  }

private:
  const Policy& policy() const noexcept { return *static_cast<const Policy*>(state.policy); }
  Folder& folder() const noexcept { return *static_cast<Folder*>(state.folder); }

  template <class Batch> bool run(std::uint64_t begin, std::uint64_t end, Batch&& batch) const noexcept {
    begin += state.offset, end += state.offset;
    if (!state.control->guard(begin, [&] { batch(begin, end); })) return false;
    const std::uint64_t elements = elements_of(folder(), begin, end);
    state.done += elements;
    policy().advance(elements);
    return true;
  }
};

/// A fold of elements of any type.
struct FoldCall {
  const CallOptions& options;
  const core::BodyCalls& calls;
  call_site where;
  std::uintptr_t key;     // key of the call's site
  std::uint64_t unit;     // elements
  std::uint64_t elements; // all
  std::uint64_t targets;  // targets_of() the folder
  // The bounds of the policy in units; one unit at least.
  std::uint64_t least;
  std::uint64_t most;
  bool is_plain;

  /// Returns the step of a caller that is alone with n units and stays so.
  std::uint64_t step_alone(std::uint64_t n) const noexcept {
    return std::min(std::max(is_plain ? n : n / 128 + 1, least), most);
  }
  core::Settings settings() const noexcept {
    core::Settings settings = core::settings_by_clock<core::StdPlatform>();
    settings.strategy = options.strategy();
    settings.batch = options.batch();
    settings.limit = options.limit();
    settings.clocked = false;
    settings.shortest_target *= targets;
    return settings;
  }
};

/// Returns the units with room for so many elements.
constexpr std::uint64_t units_for(std::uint64_t elements, std::uint64_t unit) noexcept {
  return elements / unit + (elements % unit != 0 ? 1 : 0);
}

template <class Policy, class Folder>
FoldCall fold_call(const Policy& policy, std::uint64_t n, const Folder& folder, call_site where) noexcept {
  constexpr std::uint64_t unit = unit_of<Folder>(); // divisions take as long as a short call
  return {policy,
          core::k_body_calls<FoldBody<Policy, Folder>>,
          where,
          site_key<Folder>(where),
          unit,
          elements_of(folder, 0, n),
          targets_of<Folder>(),
          units_for(policy.min_chunk(), unit),
          std::max<std::uint64_t>(policy.max_chunk() / unit, 1),
          policy.is_plain()};
}
template <class Policy, class Folder>
FoldState fold_state(const Policy& policy, Control* control, Folder& folder) noexcept {
  return {&policy, control, const_cast<void*>(static_cast<const void*>(&folder)), 0};
}

} // namespace detail
} // namespace v1
} // namespace wstree
