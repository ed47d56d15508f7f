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
  std::uint64_t done = 0; // elements

  bool has_ended() noexcept { return control.has_ended(); }
  bool goes_on() noexcept { return control.goes_on(policy); }
  [[gnu::always_inline]] bool start(void* place, std::uint64_t begin, std::uint64_t end) noexcept {
    if (!control.guard(offset + begin, [&] { folder.start(place, offset + begin, offset + end); }))
      return false;
    note(begin, end);
    return true;
  }
  [[gnu::always_inline]] bool extend(Value& value, std::uint64_t begin, std::uint64_t end) noexcept {
    if (!control.guard(offset + begin, [&] { folder.extend(value, offset + begin, offset + end); }))
      return false;
    note(begin, end);
    return true;
  }
  bool combine(Value& left, Value& right, std::uint64_t at) noexcept {
    return control.guard(offset + at, [&] { folder.combine(left, right); });
  }
  bool move(void* place, Value& value, std::uint64_t at) noexcept {
    return control.guard(offset + at, [&] { ::new (place) Value(std::move(value)); });
  }

private:
  void note(std::uint64_t begin, std::uint64_t end) noexcept {
    const std::uint64_t elements = elements_of(folder, offset + begin, offset + end);
    done += elements;
    policy.advance(elements);
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

/// The bounds of a policy in units of the folder; one unit at least.
template <class Folder> std::uint64_t least_units(std::uint64_t elements) noexcept {
  constexpr std::uint64_t unit = unit_of<Folder>();
  return elements / unit + (elements % unit != 0 ? 1 : 0);
}
template <class Folder> std::uint64_t most_units(std::uint64_t elements) noexcept {
  return std::max<std::uint64_t>(elements / unit_of<Folder>(), 1);
}

/// Of a caller that is alone and stays so: units.
template <class Folder, class Policy>
std::uint64_t step_alone(const Policy& policy, std::uint64_t n) noexcept {
  const std::uint64_t step = policy.is_plain() ? n : n / 128 + 1;
  return std::min(std::max(step, least_units<Folder>(policy.min_chunk())),
                  most_units<Folder>(policy.max_chunk()));
}

} // namespace detail
} // namespace v1
} // namespace wstree
