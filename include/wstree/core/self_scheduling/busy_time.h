// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wstree/core/platform.h"

#include <cstdint>

namespace wstree::core {

/// Ticks between being handed a chunk and coming back. Rules do not look at the time, so the clock is read
/// only for the statistics, once per chunk: the few instructions until the next one is handed out count as
/// busy, as they do in the tree.
template <class P> class BusyTime {
public:
  void enter(bool clocked) noexcept {
    clocked_ = clocked;
    working_ = false;
    since_ = 0;
  }
  void handed_out() noexcept { working_ = true; }

  /// Notes that the member is back. Returns the time that it was busy.
  std::uint64_t back() noexcept {
    if (!clocked_) return 0;
    const std::uint64_t now = P::ticks();
    const std::uint64_t spent = working_ ? elapsed(since_, now) : 0;
    since_ = now;
    working_ = false;
    return spent;
  }

private:
  std::uint64_t since_ = 0;
  bool clocked_ = false;
  bool working_ = false;
};

} // namespace wstree::core
