// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder and a policy as the core's workers see them.
#pragma once

#include "wstree/core/settings.h"
#include "wstree/parallel/control.h"
#include "wstree/parallel/folder.h"
#include "wstree/parallel/policy.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// A folder as the tree's workers see it: elements from `offset` on, and what it throws ends the call.
template <class Policy, class Folder> struct FoldBody {
  using Value = typename Folder::Value;

  const Policy& policy;
  Control& control;
  Folder& folder;
  std::uint64_t offset;

  bool goes_on() noexcept { return control.goes_on(policy); }
  [[gnu::always_inline]] bool start(void* place, std::uint64_t begin, std::uint64_t end) noexcept {
    if (!control.guard(offset + begin, [&] { folder.start(place, offset + begin, offset + end); }))
      return false;
    policy.advance(end - begin);
    return true;
  }
  [[gnu::always_inline]] bool extend(Value& value, std::uint64_t begin, std::uint64_t end) noexcept {
    if (!control.guard(offset + begin, [&] { folder.extend(value, offset + begin, offset + end); }))
      return false;
    policy.advance(end - begin);
    return true;
  }
  bool combine(Value& left, Value& right, std::uint64_t at) noexcept {
    return control.guard(offset + at, [&] { folder.combine(left, right); });
  }
  bool move(void* place, Value& value, std::uint64_t at) noexcept {
    return control.guard(offset + at, [&] { ::new (place) Value(std::move(value)); });
  }
};

template <class Policy> core::Settings settings_of(const Policy& policy) noexcept {
  core::Settings settings;
  settings.strategy = policy.strategy();
  settings.batch = policy.batch();
  settings.limit = policy.limit();
  settings.clocked = false;
  return settings;
}

/// Of a caller that is alone and stays so.
template <class Policy> std::uint64_t step_alone(const Policy& policy, std::uint64_t n) noexcept {
  const std::uint64_t step = policy.is_plain() ? n : n / 128 + 1;
  return std::min(std::max(step, policy.min_chunk()), policy.max_chunk());
}

} // namespace detail
} // namespace v1
} // namespace wstree
