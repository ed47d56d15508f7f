// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "options.h"
#include "report_writer.h"
#include "site_table.h"
#include "waiting.h"

namespace wstree::observe {

/// A report's data about the process as a whole.
struct ReportFrame {
  std::string_view version;
  std::uint32_t threads;
  core::TickLength tick;
  config::LoopKinds loops{}; // kinds of loops that could have been served
  std::string_view program{};
  std::uint64_t process = 0;
  std::string_view rank = "0";
  WaitFigures waiting{};
  std::string_view host{}, command{}; // empty: not known
  std::uint64_t ended = 0;            // seconds since 1970; 0: not known
};

/// An execution whose busiest member worked so briefly does not show whether a loop is even: to share it out
/// takes as long.
inline constexpr std::uint64_t k_short_execution_ns = 20'000;
/// Nor do all executions of a loop together, if they are shorter than this: nothing can be gained.
inline constexpr std::uint64_t k_short_loop_ns = 1'000'000;

/// Returns whether the loop is too short for its imbalance to mean anything.
bool is_too_short(const LoopFigures& figures, core::TickLength tick) noexcept;

enum class SiteOrder { by_time, by_uneven_time };

/// The executed sites of a table as far as they were counted when sort() ran: the longest first, or those
/// first which could save most if they were even.
class SortedSites {
public:
  constexpr SortedSites() noexcept = default;
  void sort(SiteTable& table, SiteOrder order = SiteOrder::by_time, core::TickLength tick = 0) noexcept;

  struct Row {
    const LoopSite* site = nullptr;
    const void* address = nullptr; // null for the shared site
    std::uint64_t wall_ticks = 0;
    std::uint64_t uneven_ticks = 0; // 0 if the loop is too short for a judgement, and if the order is by time
  };
  const Row* begin() const noexcept { return rows_.data(); }
  const Row* end() const noexcept { return rows_.data() + count_; }
  std::uint32_t size() const noexcept { return count_; }

private:
  std::uint32_t count_ = 0;
  std::array<Row, k_max_sites + 1> rows_{};
};

/// Returns the program's name for a site, or its place.
PlaceName name_of(const SortedSites::Row& row) noexcept;
/// Returns the place of a site in the code: in the words of the compiler, or its address.
PlaceName where_of(const SortedSites::Row& row) noexcept;

void write_json(ReportWriter& out, const SortedSites& sites, const ReportFrame& frame) noexcept;
void write_text(ReportWriter& out, const SortedSites& sites, const ReportFrame& frame) noexcept;

} // namespace wstree::observe
