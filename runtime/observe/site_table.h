// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "loop_site.h"

namespace wstree::observe {

/// Sites by return address, psource pointer or label, and schedule: open addressing with linear probing;
/// entries are never removed.
///
/// Each slot's key is decided once, in three steps that any thread may complete for another:
///   address   null -> a    a thread that needs a free slot
///   source    null -> s    a thread that finds the slot with its own address, be it the claimer or not
///   schedule  null -> k    likewise with its own address and source
/// T1  A key is in one slot at most: threads that look for the same key visit the slots in the same order,
///     and go past a slot only when its key is decided and differs. So no thread waits and no slot is lost to
///     a race.
/// T2  A lookup takes at most k_max_sites steps, whatever other threads do.
class SiteTable {
public:
  constexpr SiteTable() noexcept = default;
  SiteTable(const SiteTable&) = delete;
  SiteTable& operator=(const SiteTable&) = delete;

  /// See find_site().
  LoopSite& find(const void* address, const char* psource, std::string_view schedule,
                 const Label* label = nullptr) noexcept;

  /// Calls `visit(site, address)` for every site that exists; address is null for the shared one.
  template <class Visit> void for_each(Visit visit) noexcept {
    for (std::uint32_t i = 0; i < k_max_sites; ++i) {
      // [O7] relaxed: see slot_of(); the site behind the key is zero-initialised storage and needs
      //      no publication.
      if (const void* address = keys_[i].address.load(std::memory_order_relaxed)) visit(sites_[i], address);
    }
    visit(sites_[k_max_sites], static_cast<const void*>(nullptr));
  }

private:
  struct Key {
    std::atomic<const void*> address{nullptr};
    std::atomic<const void*> source{nullptr};   // the text of the compiler, or the label
    std::atomic<const char*> schedule{nullptr}; // names of schedules are told apart by where they stand
  };

  std::uint32_t slot_of(const void* address, const void* source, const char* schedule) noexcept;

  // Apart from the sites, so that probing touches few cache lines.
  alignas(128) Key keys_[k_max_sites];
  LoopSite sites_[k_max_sites + 1]; // the last one is shared by all that found no slot
};

/// Returns the table of this process.
SiteTable& site_table() noexcept;

} // namespace wstree::observe
