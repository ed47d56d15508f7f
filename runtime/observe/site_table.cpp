// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "site_table.h"

#include <bit>

namespace wstree::observe {
namespace {

static_assert(std::has_single_bit(k_max_sites));

constinit SiteTable g_table;

// Null means undecided in a key, so the absence of a location text needs a value of its own.
constexpr char k_no_source[] = "";

std::uint32_t first_slot(const void* address) noexcept {
  // Multiplication by 2^64 divided by the golden ratio spreads addresses that differ in their low bits only.
  const auto number = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address));
  return static_cast<std::uint32_t>((number * 0x9e3779b97f4a7c15u) >> (64 - std::countr_zero(k_max_sites)));
}

/// Sets `word` to `wanted` if it is null, and returns its value from now on.
template <class Pointer> Pointer decide(std::atomic<Pointer>& word, Pointer wanted) noexcept {
  // [O8] relaxed everywhere. The words of a key carry all that a lookup acts on: each changes once, from
  //      null, and the RMW sees the newest value, so a stale null in the load only costs the attempt.
  //      Nothing is published through them: the site is zero-initialised static storage and its texts have
  //      their own order [O4]. Guard: observe_statistics, SameKeyFromManyThreadsIsOneSite.
  Pointer seen = word.load(std::memory_order_relaxed);
  if (seen != nullptr) return seen;
  if (word.compare_exchange_strong(seen, wanted, std::memory_order_relaxed, std::memory_order_relaxed))
    return wanted;
  return seen;
}

} // namespace

std::uint32_t SiteTable::slot_of(const void* address, const void* source, const char* schedule) noexcept {
  std::uint32_t slot = first_slot(address);
  for (std::uint32_t probes = 0; probes < k_max_sites; ++probes) {
    Key& key = keys_[slot];
    if (decide(key.address, address) == address && decide(key.source, source) == source &&
        decide(key.schedule, schedule) == schedule)
      return slot;
    slot = (slot + 1) % k_max_sites;
  }
  return k_max_sites;
}

LoopSite& SiteTable::find(const void* address, const char* psource, std::string_view schedule,
                          const Label* label) noexcept {
  const void* source = psource != nullptr ? psource : k_no_source;
  if (label != nullptr) source = label;
  const std::uint32_t slot = slot_of(address, source, schedule.data());
  LoopSite& site = sites_[slot];
  if (site.is_nameless() && site.begin_name()) {
    if (slot == k_max_sites)
      site.finish_name(PlaceName("(other loops)"), "(several)");
    else
      site.finish_name(name_place(address, psource), schedule, label);
  }
  return site;
}

SiteTable& site_table() noexcept { return g_table; }

} // namespace wstree::observe
