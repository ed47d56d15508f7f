// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WSTREE_OBSERVE_REPORT_H
#define WSTREE_OBSERVE_REPORT_H

#include <array>
#include <cstdint>
#include <string_view>

#include "options.h"
#include "report_writer.h"
#include "site_table.h"

namespace wstree::observe {

/// What a report says about the process as a whole.
struct ReportFrame {
  std::string_view version;
  std::uint32_t threads;
  double ns_per_tick;
  config::LoopKinds loops{}; // that could have been served
};

/// The executed sites of a table, the longest first, as far as they were counted when sort() ran.
class SortedSites {
public:
  constexpr SortedSites() noexcept = default;
  void sort(SiteTable& table) noexcept;

  struct Row {
    const LoopSite* site = nullptr;
    const void* address = nullptr; // null for the shared site
    std::uint64_t wall_ticks = 0;
  };
  const Row* begin() const noexcept { return rows_.data(); }
  const Row* end() const noexcept { return rows_.data() + count_; }
  std::uint32_t size() const noexcept { return count_; }

private:
  std::uint32_t count_ = 0;
  std::array<Row, k_max_sites + 1> rows_{};
};

/// The name of a site, or its address.
PlaceName where_of(const SortedSites::Row& row) noexcept;

/// Ticks in nanoseconds, rounded; 0 for a clock that is not known.
std::uint64_t to_ns(std::uint64_t ticks, double ns_per_tick) noexcept;

void write_json(ReportWriter& out, const SortedSites& sites, const ReportFrame& frame) noexcept;
void write_text(ReportWriter& out, const SortedSites& sites, const ReportFrame& frame) noexcept;

} // namespace wstree::observe

#endif
