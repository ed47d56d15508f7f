// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout.h"

#include <algorithm>
#include <array>
#include <new>

namespace wstree::place {

/// Puts the members into the order of the machine, by the CPUs of their seats, and finds the domains that
/// they share.
class Layout::Arrangement {
public:
  Arrangement(Layout& layout, const Machine& machine, const Places* places) noexcept
      : layout_(layout), machine_(machine), places_(places) {}

  /// Returns false if there is no memory.
  bool make() noexcept {
    if (!sort_members()) return false;
    const std::uint32_t domains = make_chains(nullptr);
    layout_.domains_.reset(new (std::nothrow) core::Domain[domains]);
    if (layout_.domains_ == nullptr) return false;
    make_chains(layout_.domains_.get());
    layout_.domain_count_ = domains;
    return true;
  }

private:
  static constexpr std::uint32_t k_inner_levels = k_levels - 1; // all share the machine

  /// The domains around one member. Nested, smallest first.
  struct Chain {
    std::array<core::Domain, k_inner_levels> domains{};
    std::uint32_t count = 0;
    bool ends_with(const Chain& other) const noexcept {
      return other.count <= count && std::equal(other.domains.begin(), other.domains.begin() + other.count,
                                                domains.begin() + (count - other.count));
    }
  };

  /// Sorts the members by CPU, and by number where several are on one CPU.
  bool sort_members() noexcept {
    const std::uint32_t members = layout_.members_;
    const std::uint32_t unknown = machine_.cpus();
    const std::unique_ptr<std::uint32_t[]> next(new (std::nothrow) std::uint32_t[unknown + 2]());
    layout_.member_at_.reset(new (std::nothrow) std::uint32_t[members]);
    if (next == nullptr || layout_.member_at_ == nullptr) return false;
    const auto slot = [&](std::uint32_t member) noexcept {
      return std::min(layout_.seats_[member].cpu, unknown);
    };
    for (std::uint32_t member = 0; member < members; ++member) ++next[slot(member) + 1];
    for (std::uint32_t cpu = 0; cpu <= unknown; ++cpu) next[cpu + 1] += next[cpu];
    bool same = true;
    for (std::uint32_t member = 0; member < members; ++member) {
      const std::uint32_t position = next[slot(member)]++;
      layout_.seats_[member].position = position;
      layout_.member_at_[position] = member;
      same = same && position == member;
    }
    if (same) layout_.member_at_.reset();
    return true;
  }

  Seat& seat_at(std::uint32_t position) const noexcept {
    return layout_.seats_[layout_.member_at_ == nullptr ? position : layout_.member_at_[position]];
  }

  /// Returns the domain of the member at `position`, on whichever CPU of its place it runs; k_none if there
  /// is no such domain.
  std::uint32_t domain(std::uint32_t position, std::size_t level) const noexcept {
    const Seat& seat = seat_at(position);
    if (seat.cpu >= machine_.cpus()) return Cpu::k_none;
    const std::uint32_t first = machine_.cpu(seat.cpu).domain[level];
    if (places_ == nullptr) return first;
    // The CPUs of a place are in the machine's order, where those of a domain stand in a row.
    const std::uint32_t last = places_->cpu(seat.place, places_->cpus(seat.place) - 1);
    return machine_.cpu(last).domain[level] == first ? first : Cpu::k_none;
  }

  /// Returns the members from `begin` on that are in the same domain of this level as the member at `begin`.
  core::Domain run(std::uint32_t begin, std::size_t level) const noexcept {
    const std::uint32_t shared = domain(begin, level);
    std::uint32_t end = begin + 1;
    if (shared != Cpu::k_none)
      while (end < layout_.members_ && domain(end, level) == shared) ++end;
    return {begin, end};
  }

  /// The machine decides which level is nested in which (a NUMA node may be a part of a group of CPUs that
  /// share a cache, or contain it): sizes decide here.
  Chain chain_of(std::array<core::Domain, k_inner_levels> runs) const noexcept {
    const auto size = [](const core::Domain& domain) noexcept { return domain.end - domain.begin; };
    std::sort(runs.begin(), runs.end(),
              [&](const core::Domain& a, const core::Domain& b) { return size(a) < size(b); });
    Chain chain;
    core::Domain inner = {0, 0};
    for (const core::Domain& outer : runs) {
      if (size(outer) == 1 || size(outer) == layout_.members_ || outer == inner) continue;
      if (chain.count != 0 && (inner.begin < outer.begin || inner.end > outer.end)) continue;
      chain.domains[chain.count++] = inner = outer;
    }
    return chain;
  }

  /// Writes the chains one after the other, each once; without `to` they are only counted. Neighbours mostly
  /// have the same.
  std::uint32_t make_chains(core::Domain* to) noexcept {
    std::array<core::Domain, k_inner_levels> runs{};
    Chain before;
    std::uint32_t total = 0;
    for (std::uint32_t position = 0; position < layout_.members_; ++position) {
      for (std::size_t level = 0; level < k_inner_levels; ++level)
        if (runs[level].end == position) runs[level] = run(position, level);
      const Chain chain = chain_of(runs);
      if (!before.ends_with(chain)) {
        if (to != nullptr) std::copy_n(chain.domains.begin(), chain.count, to + total);
        total += chain.count;
        before = chain;
      }
      Seat& seat = seat_at(position);
      seat.first_domain = total - chain.count;
      seat.domains = chain.count;
    }
    return total;
  }

  Layout& layout_;
  const Machine& machine_;
  const Places* places_;
};

std::unique_ptr<Layout> Layout::with_seats(std::uint32_t members) noexcept {
  std::unique_ptr<Layout> layout(new (std::nothrow) Layout);
  if (layout == nullptr) return nullptr;
  layout->seats_.reset(new (std::nothrow) Seat[members]);
  if (layout->seats_ == nullptr) return nullptr;
  layout->members_ = members;
  return layout;
}

std::unique_ptr<const Layout> Layout::make(const Machine& machine, const Places& places, Spacing spacing,
                                           std::uint32_t members) noexcept {
  std::unique_ptr<Layout> layout = with_seats(members);
  if (layout == nullptr) return nullptr;
  const bool in_order = spacing == Spacing::close && members <= places.count();
  for (std::uint32_t i = 0; i < members; ++i) {
    // Member i has the places from places * i / members on, or shares the one there with its neighbours.
    const auto shared = static_cast<std::uint32_t>(std::uint64_t{places.count()} * i / members);
    Seat& seat = layout->seats_[i];
    seat.place = in_order ? i : shared;
    seat.cpu = places.cpu(seat.place, 0);
  }
  return Arrangement(*layout, machine, &places).make() ? std::move(layout) : nullptr;
}

std::unique_ptr<const Layout> Layout::of_cpus(const Machine& machine,
                                              std::span<const std::uint32_t> cpus) noexcept {
  std::unique_ptr<Layout> layout = with_seats(static_cast<std::uint32_t>(cpus.size()));
  if (layout == nullptr) return nullptr;
  for (std::uint32_t i = 0; i < layout->members_; ++i) {
    layout->seats_[i].place = Places::k_none;
    layout->seats_[i].cpu = cpus[i];
  }
  return Arrangement(*layout, machine, nullptr).make() ? std::move(layout) : nullptr;
}

std::size_t Layout::bytes() const noexcept {
  const std::size_t order = member_at_ == nullptr ? 0 : members_ * sizeof(std::uint32_t);
  return sizeof *this + members_ * sizeof(Seat) + order + domain_count_ * sizeof(core::Domain);
}

} // namespace wstree::place
