// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPUs of the members in teams of one size, and the order in which the members look for work.
#pragma once

#include "machine.h"
#include "places.h"

#include "wstree/core/neighbourhood.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace wstree::place {

/// Immutable; shared by all teams of its size.
class Layout {
public:
  /// Members on the places of `places`: close takes them as they come; spread as OpenMP does it, in as many
  /// rows of places as there are members. With more members than places consecutive members share one, as
  /// evenly as possible. nullptr: no memory.
  static std::unique_ptr<const Layout> make(const Machine& machine, const Places& places, Spacing spacing,
                                            std::uint32_t members) noexcept;
  /// Member i runs on CPU cpus[i] (an index of `machine`; machine.cpus() if that is not known), as the
  /// runtime or a tool has arranged it; it has no place then.
  static std::unique_ptr<const Layout> of_cpus(const Machine& machine,
                                               std::span<const std::uint32_t> cpus) noexcept;

  std::uint32_t members() const noexcept { return members_; }
  /// Returns the arguments for Member::set_neighbourhood(); they point into the layout.
  core::Neighbourhood neighbourhood(std::uint32_t member) const noexcept {
    const Seat& seat = seats_[member];
    return {member_at_.get(), seat.domains == 0 ? nullptr : domains_.get() + seat.first_domain, seat.domains,
            seat.position};
  }
  /// Returns the number of the member's place in the Places that the layout was made with; Places::k_none if
  /// it has none.
  std::uint32_t place(std::uint32_t member) const noexcept { return seats_[member].place; }
  /// Returns the index in the machine of the first CPU that the member runs on.
  std::uint32_t cpu(std::uint32_t member) const noexcept { return seats_[member].cpu; }
  /// Returns the size of the objects and their arrays, in bytes.
  std::size_t bytes() const noexcept;

  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
  ~Layout() = default;

private:
  struct Seat {
    std::uint32_t place = 0;
    std::uint32_t cpu = 0;
    std::uint32_t position = 0;     // in the order of the machine
    std::uint32_t first_domain = 0; // in domains_
    std::uint32_t domains = 0;
  };
  class Arrangement;
  Layout() = default;
  static std::unique_ptr<Layout> with_seats(std::uint32_t members) noexcept;

  std::uint32_t members_ = 0;
  std::unique_ptr<Seat[]> seats_;
  std::unique_ptr<std::uint32_t[]> member_at_; // by position; null if member i is at position i for all i
  std::unique_ptr<core::Domain[]> domains_;
  std::uint32_t domain_count_ = 0;
};

} // namespace wstree::place
