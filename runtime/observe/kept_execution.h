// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "recordings.h"

namespace wstree::observe {

/// An execution that is kept. Its pieces follow it in memory.
struct Profile {
  Profile* next = nullptr;
  RecordedExecution execution;
  std::size_t size = 0; ///< pieces

  /// nullptr if there is no memory.
  static Profile* make(const RecordedExecution& execution, const JoinedPieces& pieces) noexcept;
  static void destroy(Profile* profile) noexcept;
  static std::size_t bytes(std::size_t size) noexcept { return sizeof(Profile) + size * sizeof(JoinedPiece); }

  const JoinedPiece* pieces() const noexcept { return reinterpret_cast<const JoinedPiece*>(this + 1); }
  /// Returns the first iteration of piece `i`.
  std::uint64_t begin_of(std::size_t i) const noexcept {
    return i < size ? pieces()[i].begin * execution.unit : execution.iterations;
  }
};
static_assert(sizeof(Profile) % alignof(JoinedPiece) == 0);

} // namespace wstree::observe
