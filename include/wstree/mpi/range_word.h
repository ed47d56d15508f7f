// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The remaining range of a rank as one word.
#pragma once

#include <cstdint>

namespace wstree {
inline namespace v1 {
namespace mpi {
namespace detail {

/// Units [begin, end) of a loop.
struct Range {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool empty() const noexcept { return begin >= end; }
  std::uint32_t size() const noexcept { return empty() ? 0 : end - begin; }
  bool operator==(const Range&) const = default;
};

/// Units of the largest loop: a larger number of iterations has units of several iterations each.
inline constexpr std::uint64_t k_most_units = std::uint64_t{1} << 31;

constexpr std::uint64_t word_of(Range range) noexcept { return std::uint64_t{range.begin} << 32 | range.end; }
constexpr Range range_of(std::uint64_t word) noexcept {
  return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
}
/// Returns the word of a rank whose range is drained in call number `call`. The word stays so until the rank,
/// or a thief, opens the range in call `call + 1`.
constexpr std::uint64_t drained_in(std::uint32_t call) noexcept { return word_of({call, call}); }

} // namespace detail
} // namespace mpi
} // namespace v1
} // namespace wstree
