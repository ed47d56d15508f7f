// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places that threads can be put on (OpenMP 5.2, section 21.1.6): sets of CPUs in an order.
#pragma once

#include "machine.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace wstree::place {

/// The order in which the members of a team are put onto places.
enum class Spacing : std::uint8_t {
  close,  ///< next to each other: domain after domain is filled, one hardware thread per core first
  spread, ///< as far from each other as possible: every domain of every level gets its share
};

/// Immutable. No place is empty, and none holds a CPU that the machine lacks.
class Places {
public:
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};

  /// Returns the library's own choice for a team of `members`: a place for each core while there is a core
  /// for each member (all its hardware threads, fast cores before slow ones when there are more cores than
  /// members), otherwise one for each hardware thread, first threads of all cores before second ones where
  /// that suffices. There are as many places as members, while there are CPUs; if some CPUs are left over,
  /// `spacing` decides which are taken. In the order of the machine. nullptr: no memory.
  static std::unique_ptr<const Places> by_default(const Machine& machine, std::uint32_t members,
                                                  Spacing spacing = Spacing::close) noexcept;
  /// Parses a value of OMP_PLACES: threads, cores, l2_caches, l3_caches, ll_caches, numa_domains, sockets,
  /// each with (n); or a list of {cpu[:length[:stride]],...} with [:count[:stride]] and !. CPUs that are not
  /// allowed are left out, and places that become empty as well. nullptr: not understood, nothing is left, or
  /// no memory; `why` is the reason.
  static std::unique_ptr<const Places> parse(const Machine& machine, std::string_view text,
                                             std::string_view& why) noexcept;

  std::uint32_t count() const noexcept { return count_; }
  /// Return the members of place p: indices of CPUs of the machine, in its order.
  std::uint32_t cpus(std::uint32_t p) const noexcept { return begins_[p + 1] - begins_[p]; }
  std::uint32_t cpu(std::uint32_t p, std::uint32_t i) const noexcept { return cpus_[begins_[p] + i]; }
  /// Returns the place as a mask for the operating system.
  CpuSet mask(const Machine& machine, std::uint32_t p) const noexcept;
  /// Returns the size of the object and its arrays, in bytes.
  std::size_t bytes() const noexcept;

  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;
  ~Places() = default;

private:
  friend class PlacesBuilder;
  Places() = default;

  std::uint32_t count_ = 0;
  std::unique_ptr<std::uint32_t[]> begins_; // count_ + 1 of them
  std::unique_ptr<std::uint32_t[]> cpus_;
};

} // namespace wstree::place
