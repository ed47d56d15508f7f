// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers that depend on a seed alone.
#pragma once

#include <cstdint>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Numbers that look random, by the number of the call: SplitMix64.
class RandomNumbers {
public:
  explicit RandomNumbers(std::uint64_t seed) noexcept : state_(seed) {}
  /// Returns a number less than n, which is not 0.
  std::uint64_t below(std::uint64_t n) noexcept {
#if defined(__SIZEOF_INT128__)
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(next()) * n >> 64);
#else
    return next() % n;
#endif
  }
  std::uint64_t next() noexcept {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

private:
  std::uint64_t state_;
};

} // namespace detail
} // namespace v1
} // namespace wstree
