// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The policy of a call within an algorithm.
#pragma once

#include "wstree/parallel/policy.h"

namespace wstree {
inline namespace v1 {
namespace detail {

/// Returns the policy for a part of a call: with its place and name, without token and counter.
template <class Policy> par part_of(const Policy& policy) noexcept {
  struct Pool {
    const Place& of;
    const Place& place() const noexcept { return of; }
  };
  const par part = par(policy.label()).at(policy.where()).threads(policy.threads());
  if (policy.place() == nullptr) return part;
  const Pool pool{*policy.place()};
  return part.on(pool);
}

} // namespace detail
} // namespace v1
} // namespace wstree
