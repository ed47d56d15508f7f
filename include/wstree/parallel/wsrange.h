// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// `par().schedule(wsrange)`, for programs that were written for version 1.0. Members of such a call took
/// work from each other's ranges, which was never faster: they share the tree now, as in every call.
#pragma once

#include "wstree/parallel/policy.h"

namespace wstree {
inline namespace v1 {

inline constexpr wsrange_t wsrange{};

} // namespace v1
} // namespace wstree
