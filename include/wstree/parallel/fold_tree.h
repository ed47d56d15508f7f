// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds on the members of a call.
#pragma once

#include "wstree/parallel/call.h"
#include "wstree/parallel/folder.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// The value of elements 0 to n-1, in order, n > 0, in `result`; or an exception.
template <execution_policy Policy, folder Folder>
void fold_tree(const Policy& policy, std::uint64_t n, Folder& folder, Result<typename Folder::Value>& result,
               [[maybe_unused]] call_site where) {
  using Value = typename Folder::Value;
  const auto members = static_cast<std::uint32_t>(std::min<std::uint64_t>(most_members(policy), n));
  Result<Value>* const values = new Result<Value>[members];
  Control control;
  std::atomic<std::uint32_t> next{0};
  on_members(members, control, [&](std::uint32_t, std::uint32_t) {
    for (;;) {
      const std::uint32_t share = next.fetch_add(1, std::memory_order_relaxed);
      if (share >= members) return;
      const std::uint64_t first = n / members * share + std::min<std::uint64_t>(share, n % members);
      const std::uint64_t last = first + n / members + (share < n % members ? 1 : 0);
      const std::uint64_t step = std::min<std::uint64_t>(policy.max_chunk(), (last - first + 63) / 64);
      for (std::uint64_t begin = first; begin < last && control.goes_on(policy);) {
        const std::uint64_t end = std::min(begin + step, last);
        control.guard(begin, [&] {
          if (values[share].has_value()) {
            folder.extend(values[share].value(), begin, end);
          } else {
            folder.start(values[share].place(), begin, end);
            values[share].set();
          }
        });
        policy.advance(end - begin);
        begin = end;
      }
    }
  });
  control.finish();
  for (std::uint32_t m = 1; m < members; ++m)
    if (values[m].has_value()) folder.combine(values[0].value(), values[m].value());
  ::new (result.place()) Value(std::move(values[0].value()));
  result.set();
  delete[] values;
}

} // namespace detail
} // namespace v1
} // namespace wstree
