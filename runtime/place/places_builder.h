// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts Places together, place after place.
#pragma once

#include "places.h"

#include <cstdint>
#include <memory>
#include <span>

namespace wstree::place {

class PlacesBuilder {
public:
  /// More CPUs in all places together are refused: OMP_PLACES can ask for the square of the machine's number.
  static constexpr std::uint32_t k_most_cpus = 64 * CpuSet::k_cpus;

  /// Adds a CPU (index of the machine, larger than the index before) to the place that is being made.
  void add_cpu(std::uint32_t cpu) noexcept;
  /// The place is complete. None is made if it has no CPU.
  void end_place() noexcept;
  /// The place is complete; places with the same CPUs, wherever in the list, will be left out.
  void end_excluded() noexcept;

  bool is_full() const noexcept { return full_; } ///< more than k_most_cpus, or no memory
  /// Returns the places; nullptr: is_full(), no memory, or there are none.
  std::unique_ptr<const Places> finish() noexcept;

private:
  /// Grows by doubling. Nothing is stored once memory is out.
  class List {
  public:
    bool push(std::uint32_t value) noexcept;
    std::uint32_t size() const noexcept { return size_; }
    std::uint32_t operator[](std::uint32_t i) const noexcept { return items_[i]; }
    const std::uint32_t* data() const noexcept { return items_.get(); }

  private:
    std::unique_ptr<std::uint32_t[]> items_;
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = 0;
  };

  std::span<const std::uint32_t> cpus_of(std::uint32_t place) const noexcept;
  bool is_excluded(std::uint32_t place) const noexcept;

  List cpus_;     // CPUs of all places, one place after the other
  List ends_;     // ends of the places in cpus_
  List excluded_; // numbers of the places that only exclude CPUs
  bool full_ = false;
};

} // namespace wstree::place
