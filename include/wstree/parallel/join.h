// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A few different things at a time.
#pragma once

#include "wstree/parallel/call.h"

#include <cstdint>
#include <type_traits>

namespace wstree {
inline namespace v1 {

/// Calls all functions, on several threads where some are free, and returns when all have returned or thrown.
/// If some throw, the exception of the first one among them in the list reaches the caller. After a stop
/// those that have not begun are not called.
template <execution_policy Policy, class... Functions>
void join(const Policy& policy, Functions&&... functions) {
  static_assert(sizeof...(functions) > 0 && (std::is_invocable_v<Functions&> && ...),
                "wstree: join() takes functions without arguments, one at least");
  const auto call = [&](std::uint64_t wanted) {
    std::uint64_t index = 0;
    static_cast<void>(((index++ == wanted ? (static_cast<void>(functions()), true) : false) || ...));
    return true;
  };
  detail::in_tiles(
      policy, sizeof...(functions), [&](std::uint64_t tile, std::uint32_t) { return call(tile); }, 0,
      detail::IfFailed::go_on);
}
template <class First, class... Functions>
requires(!execution_policy<First>) void join(First&& first, Functions&&... functions) {
  join(par(), static_cast<First&&>(first), static_cast<Functions&&>(functions)...);
}

} // namespace v1
} // namespace wstree
