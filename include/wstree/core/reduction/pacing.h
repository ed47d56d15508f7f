// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pacing with an upper bound for batches.
#pragma once

#include "wstree/core/pacing.h"

#include <algorithm>
#include <cstdint>

namespace wstree::core {

/// Private to its member.
template <class P> class BoundedPacing : public Pacing<P> {
public:
  /// `most` in iterations.
  void enter(const Shape& shape, const Entry& entry, std::uint64_t most) noexcept {
    Pacing<P>::enter(shape, entry);
    most_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(most >> shape.shift(), 1, k_max_share));
  }
  [[gnu::always_inline]] std::uint32_t size(std::uint32_t remaining) const noexcept {
    return std::min(Pacing<P>::size(remaining), most_);
  }

private:
  std::uint32_t most_ = k_max_share;
};

} // namespace wstree::core
