// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A set of CPUs by the numbers that the operating system gives them.
#pragma once

#include "fixed_text.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wstree::place {

/// Fixed in size (1 kB, as many CPUs as Linux can have), so that nothing has to be allocated.
class CpuSet {
public:
  static constexpr std::uint32_t k_cpus = 8192;

  constexpr void add(std::uint32_t cpu) noexcept {
    if (cpu < k_cpus) words_[cpu / 64] |= std::uint64_t{1} << cpu % 64;
  }
  constexpr void remove(std::uint32_t cpu) noexcept {
    if (cpu < k_cpus) words_[cpu / 64] &= ~(std::uint64_t{1} << cpu % 64);
  }
  constexpr bool has(std::uint32_t cpu) const noexcept {
    return cpu < k_cpus && (words_[cpu / 64] >> cpu % 64 & 1U) != 0;
  }
  constexpr std::uint32_t count() const noexcept {
    std::uint32_t sum = 0;
    for (const std::uint64_t word : words_) sum += static_cast<std::uint32_t>(std::popcount(word));
    return sum;
  }
  constexpr bool empty() const noexcept { return next(0) == k_cpus; }
  /// Returns the first CPU from `cpu` on; k_cpus if there is none.
  constexpr std::uint32_t next(std::uint32_t cpu) const noexcept {
    while (cpu < k_cpus) {
      const std::uint64_t rest = words_[cpu / 64] >> cpu % 64;
      if (rest != 0) return cpu + static_cast<std::uint32_t>(std::countr_zero(rest));
      cpu = (cpu / 64 + 1) * 64;
    }
    return k_cpus;
  }
  /// Removes CPUs that are not in `other`.
  constexpr void keep(const CpuSet& other) noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }
  constexpr void add(const CpuSet& other) noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  constexpr bool is_within(const CpuSet& other) const noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if ((words_[i] & ~other.words_[i]) != 0) return false;
    return true;
  }
  constexpr bool overlaps(const CpuSet& other) const noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if ((words_[i] & other.words_[i]) != 0) return true;
    return false;
  }
  bool operator==(const CpuSet&) const = default;

  /// Returns the words as the system calls want them: bit c of the little-endian words is CPU c.
  void* data() noexcept { return words_.data(); }
  const void* data() const noexcept { return words_.data(); }
  static constexpr std::size_t k_bytes = k_cpus / 8;

private:
  std::array<std::uint64_t, k_cpus / 64> words_{};
};

/// "0-3,8", as the kernel and taskset write it; a set that is too long for the text ends in "...".
using CpuListText = config::FixedText<256>;
CpuListText to_list(const CpuSet& set) noexcept;
/// Reads the same. nullopt: not understood.
std::optional<CpuSet> parse_cpu_list(std::string_view text) noexcept;

} // namespace wstree::place
