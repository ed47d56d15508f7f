// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include <algorithm>

#include "code_place.h"
#include "rank_texts.h"
#include "unserved_regions.h"

namespace wstree::observe {
namespace {

void json_member(ReportWriter& out, std::string_view key, std::uint64_t value) noexcept {
  out.text(", ").json_string(key).text(": ").number(value);
}

void json_loop(ReportWriter& out, const SortedSites::Row& row, core::TickLength tick) noexcept {
  const LoopFigures figures = row.site->figures();
  out.text("{\"where\": ").json_string(where_of(row).view());
  if (!row.site->label().empty()) out.text(", \"label\": ").json_string(row.site->label());
  out.text(", \"schedule\": ").json_string(row.site->schedule());
  json_member(out, "calls", figures.calls);
  // No number of iterations instead of one that is none.
  if (figures.pieces == 0 || figures.pieces < figures.total.iterations)
    json_member(out, "iterations", figures.total.iterations - figures.pieces);
  if (figures.pieces != 0) json_member(out, "pieces", figures.pieces);
  json_member(out, "chunk", figures.chunk);
  json_member(out, "batches", figures.total.batches);
  json_member(out, "steals", figures.total.steals);
  json_member(out, "nodes", figures.total.nodes);
  json_member(out, "known_shares", figures.total.known);
  json_member(out, "surprises", figures.total.surprises);
  json_member(out, "forgotten_places", figures.total.forgotten);
  out.text(", \"seconds\": ").decimal(core::nanoseconds(figures.wall_ticks, tick), 9);
  out.text(", \"imbalance\": ").decimal(figures.imbalance(10'000), 4);
  const bool too_short = is_too_short(figures, tick);
  out.text(", \"too_short_to_tell\": ").text(too_short ? "true" : "false");
  const std::uint64_t saved = too_short ? 0 : core::nanoseconds(figures.uneven_ticks, tick);
  out.text(", \"even_saves_seconds\": ").decimal(saved, 9);
  out.text(", \"late_seconds\": ").decimal(core::nanoseconds(figures.late_mean_ticks, tick), 9);
  out.text(", \"preempted_seconds\": ").decimal(core::nanoseconds(figures.preempted_mean_ticks, tick), 9);
  json_member(out, "new_lengths", figures.new_lengths);
  json_counters(out, row.site->counters());
  CodePlace place;
  find_code_place(row.address, place);
  out.text(", \"module\": ").json_string(place.module.view());
  out.text(", \"build_id\": ").json_string(place.build_id.view());
  json_member(out, "offset", place.offset);
  out.text("}");
}

ReportWriter& counted(ReportWriter& out, std::uint64_t count, std::string_view one,
                      std::string_view many) noexcept {
  return out.grouped(count).text(" ").text(count == 1 ? one : many);
}

/// Two digits after the point in the unit that makes the number readable; ten characters wide.
void duration(ReportWriter& out, std::uint64_t ns) noexcept {
  struct Unit {
    std::uint64_t ns;
    std::string_view name;
  };
  constexpr Unit k_units[] = {{1'000'000'000, " s "}, {1'000'000, " ms"}, {1'000, " us"}};
  const Unit* unit = k_units;
  while (ns < unit->ns && unit != &k_units[2]) ++unit;
  const std::uint64_t hundredths = ns / (unit->ns / 100);
  const std::size_t width = hundredths < 1000 ? 4 : hundredths < 10000 ? 5 : hundredths < 100000 ? 6 : 7;
  out.spaces(7 - width).decimal(hundredths, 2).text(unit->name);
}

struct Widths {
  std::size_t where = 0, calls = 0, iterations = 0, batches = 0;
  bool explained = false; // some loop's line explains its imbalance
};

Widths widths_of(const SortedSites& sites) noexcept {
  Widths widths;
  for (const auto& row : sites) {
    const LoopFigures figures = row.site->figures();
    widths.where = std::max(widths.where, name_of(row).size());
    widths.calls = std::max(widths.calls, grouped_width(figures.calls));
    widths.iterations = std::max(widths.iterations, grouped_width(figures.total.iterations));
    widths.batches = std::max(widths.batches, grouped_width(figures.total.batches));
  }
  return widths;
}

/// A number with its word, the numbers right-aligned and the words padded to the plural or to `longest`.
void column(ReportWriter& out, std::size_t width, std::uint64_t count, std::string_view one,
            std::string_view many, std::size_t longest = 0) noexcept {
  const std::size_t own = grouped_width(count);
  out.spaces(2 + (width > own ? width - own : 0));
  counted(out, count, one, many)
      .spaces(std::max(longest, many.size()) - (count == 1 ? one.size() : many.size()));
}

/// Writes the number of iterations, or of pieces where only the program's code has the iterations.
void iterations_column(ReportWriter& out, std::size_t width, const LoopFigures& figures) noexcept {
  constexpr std::string_view k_iterations = "iterations";
  if (figures.pieces == 0) return column(out, width, figures.total.iterations, "iteration", k_iterations);
  column(out, width, figures.total.iterations, "piece", "pieces", k_iterations.size());
}

/// Writes the loop's imbalance, and the time that it costs; as wide for each loop.
void evenness(ReportWriter& out, const LoopFigures& figures, core::TickLength tick,
              bool& explained) noexcept {
  constexpr std::string_view k_even = " (1 is even)";
  constexpr std::string_view k_too_short = "too short to tell";
  if (is_too_short(figures, tick)) {
    out.text(k_too_short)
        .spaces(std::string_view("imbalance 1.00").size() + k_even.size() - k_too_short.size());
    out.spaces(std::string_view("  even saves 1234.56 ms").size());
    return;
  }
  out.text("imbalance ").decimal(figures.imbalance(100), 2);
  if (explained)
    out.spaces(k_even.size());
  else
    out.text(k_even);
  explained = true;
  out.text("  even saves ");
  duration(out, core::nanoseconds(figures.uneven_ticks, tick));
}

void text_loop(ReportWriter& out, const SortedSites::Row& row, Widths& widths,
               core::TickLength tick) noexcept {
  const LoopFigures figures = row.site->figures();
  const PlaceName where = name_of(row);
  out.text("  ").visible(where.view()).spaces(widths.where > where.size() ? widths.where - where.size() : 0);
  column(out, widths.calls, figures.calls, "call", "calls");
  out.text("  ");
  duration(out, core::nanoseconds(figures.wall_ticks, tick));
  out.text("  ");
  evenness(out, figures, tick, widths.explained);
  iterations_column(out, widths.iterations, figures);
  column(out, widths.batches, figures.total.batches, "batch", "batches");
  out.text("  ");
  counted(out, figures.total.steals, "steal", "steals").text("  ").visible(row.site->schedule()).text("\n");
  text_counters(out, row.site->counters());
}

/// Writes the saving of passive waiting, if that is worth a line.
void text_waiting(ReportWriter& out, const WaitFigures& waiting) noexcept {
  if (!is_worth_saving(waiting)) return;
  constexpr std::uint64_t k_hundredth = 10'000'000;
  out.text("  CPU time ").decimal(waiting.cpu_ns / k_hundredth, 2);
  out.text(" s, of which threads that waited between regions took ")
      .decimal(waiting.gaps_cpu_ns / k_hundredth, 2);
  out.text(" s: WSTREE_WAIT=auto or OMP_WAIT_POLICY=passive saves most of that\n");
}

} // namespace

PlaceName where_of(const SortedSites::Row& row) noexcept {
  // The name is missing while the thread that was first at the site is still about to write it.
  PlaceName where(row.site->where());
  if (where.empty()) where.append("0x").append_number(reinterpret_cast<std::uintptr_t>(row.address), 16);
  return where;
}

PlaceName name_of(const SortedSites::Row& row) noexcept {
  const std::string_view label = row.site->label();
  return label.empty() ? where_of(row) : PlaceName(label);
}

bool is_too_short(const LoopFigures& figures, core::TickLength tick) noexcept {
  // Not the time on the wall, which a thread that wakes up late makes longer.
  const std::uint64_t ns = core::nanoseconds(figures.busy_max_ticks, tick);
  return ns < k_short_loop_ns || ns / k_short_execution_ns < figures.calls;
}

void SortedSites::sort(SiteTable& table, SiteOrder order, core::TickLength tick) noexcept {
  count_ = 0;
  table.for_each([&](const LoopSite& site, const void* address) {
    const LoopFigures figures = site.figures();
    if (figures.calls == 0) return;
    const bool tells = order == SiteOrder::by_uneven_time && !is_too_short(figures, tick);
    rows_[count_++] = {&site, address, figures.wall_ticks, tells ? figures.uneven_ticks : 0};
  });
  // Sorts copies of the figures: threads may still count, and a sort needs an order that stays.
  std::sort(rows_.data(), rows_.data() + count_, [](const Row& a, const Row& b) {
    if (a.uneven_ticks != b.uneven_ticks) return a.uneven_ticks > b.uneven_ticks;
    return a.wall_ticks != b.wall_ticks ? a.wall_ticks > b.wall_ticks : a.site < b.site;
  });
}

void write_json(ReportWriter& out, const SortedSites& sites, const ReportFrame& frame) noexcept {
  out.text("{\"version\": ").json_string(frame.version);
  out.text(", \"program\": ").json_string(frame.program);
  json_member(out, "pid", frame.process);
  json_member(out, "threads", frame.threads);
  out.text(", \"rank\": ").json_string(frame.rank);
  out.text(", \"cpu_seconds\": ").decimal(frame.waiting.cpu_ns, 9);
  out.text(", \"between_regions_seconds\": ").decimal(frame.waiting.gaps_ns, 9);
  out.text(", \"spent_between_regions_cpu_seconds\": ").decimal(frame.waiting.gaps_cpu_ns, 9);
  out.text(", \"wall_seconds\": ").decimal(frame.waiting.wall_ns, 9);
  if (!frame.host.empty()) out.text(", \"host\": ").json_string(frame.host);
  if (!frame.command.empty()) out.text(", \"command\": ").json_string(frame.command);
  if (frame.ended != 0) json_member(out, "ended", frame.ended);
  out.text(", \"loops\": [");
  bool first = true;
  for (const auto& row : sites) {
    out.text(first ? "\n  " : ",\n  ");
    json_loop(out, row, frame.tick);
    first = false;
  }
  out.text(first ? "]" : "\n]");
  write_unserved_json(out, frame.tick);
  write_rank_statistics(out);
  out.text("}\n");
}

void write_text(ReportWriter& out, const SortedSites& sites, const ReportFrame& frame) noexcept {
  if (sites.size() == 0) {
    if (frame.loops == config::LoopKinds{})
      out.text("wstree: no schedule(runtime) loop was served; WSTREE_LOOPS=runtime,proven serves loops "
               "without a clause\n");
    else
      out.text("wstree: no loop was served (WSTREE_LOOPS='")
          .text(config::to_text(frame.loops).view())
          .text("')\n");
    write_unserved_lines(out, frame.tick);
    write_rank_lines(out);
    return;
  }
  std::uint64_t calls = 0;
  std::uint64_t steals = 0;
  for (const auto& row : sites) {
    const LoopFigures figures = row.site->figures();
    calls += figures.calls;
    steals += figures.total.steals;
  }
  out.text("wstree ").text(frame.version).text(": ");
  counted(out, sites.size(), "loop", "loops").text(" served, ");
  counted(out, calls, "call", "calls").text(", ");
  counted(out, frame.threads, "thread", "threads").text(", ");
  counted(out, steals, "steal", "steals").text("\n");
  Widths widths = widths_of(sites);
  for (const auto& row : sites) text_loop(out, row, widths, frame.tick);
  write_unserved_lines(out, frame.tick);
  write_rank_lines(out);
  text_waiting(out, frame.waiting);
}

} // namespace wstree::observe
