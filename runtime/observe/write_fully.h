// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace wstree::observe {

/// Writes `text` and then `more`, with a single system call unless that one is interrupted or takes only a
/// part. Returns 0 or the error number. A non-blocking descriptor that is full is waited for at most half a
/// second without progress, and not again before it takes something. The caller holds a WriteGuard.
int write_fully(int descriptor, std::string_view text, std::string_view more = {}) noexcept;

} // namespace wstree::observe
