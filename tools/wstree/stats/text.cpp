// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/statistics.h"

#include "support/folded.h"
#include "support/loop_name.h"
#include "support/visible.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace wstree::cli {

namespace {

/// From this on, imbalance is worth a colour.
constexpr double k_uneven = 1.1;
/// The part of the CPU time from which on waiting is worth a line.
constexpr double k_worth_saving = 0.05;
constexpr std::size_t k_narrowest_name = 16;
constexpr std::ptrdiff_t k_always = 11; ///< columns; of counters, behind them, those that have values

std::string grouped(std::uint64_t number) {
  auto text = std::to_string(number);
  for (auto i = static_cast<std::ptrdiff_t>(text.size()) - 3; i > 0; i -= 3)
    text.insert(text.begin() + i, ',');
  return text;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(count), count == 1 ? one : many);
}

struct Column {
  std::string head;
  bool is_left;
  int keep; ///< columns with the smallest number go first if there is too little room
  std::vector<std::string> cells = {};

  [[nodiscard]] std::size_t width() const {
    std::size_t widest = columns_of(head);
    for (const auto& cell : cells) widest = std::max(widest, columns_of(cell));
    return widest;
  }
};

std::string known(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : std::string();
}

std::vector<Column> columns_of_loops(const std::vector<LoopRow>& loops) {
  std::vector<Column> columns = {
      {"loop", true, 9},         {"calls", false, 5},       {"time", false, 9},      {"imbalance", false, 9},
      {"even saves", false, 9},  {"late", false, 6},        {"preempted", false, 5}, {"iterations", false, 1},
      {"batches", false, 2},     {"steals", false, 3},      {"schedule", true, 4},   {"IPC", false, 7},
      {"misses/1000", false, 6}, {"page faults", false, 4}, {"switches", false, 4}};
  for (const auto& loop : loops) {
    const std::string cells[] = {folded_name(visible(loop.name)),
                                 grouped(loop.calls),
                                 duration_text(loop.seconds),
                                 loop.too_short ? "too short" : fmt::format("{:.2f}", loop.imbalance),
                                 loop.too_short ? "to tell" : duration_text(loop.even_saves),
                                 duration_text(loop.late),
                                 duration_text(loop.preempted),
                                 loop.counts_pieces ? counted(loop.iterations, "piece", "pieces")
                                                    : grouped(loop.iterations),
                                 grouped(loop.batches),
                                 grouped(loop.steals),
                                 visible(loop.schedule),
                                 known(loop.counters.instructions_per_cycle(), 2),
                                 known(loop.counters.misses_per_1000_instructions(), 2),
                                 known(loop.counters.page_faults, 0),
                                 known(loop.counters.context_switches, 0)};
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  const auto has_nothing = [](const Column& column) {
    return std::ranges::all_of(column.cells, [](const auto& cell) { return cell.empty(); });
  };
  columns.erase(std::remove_if(columns.begin() + k_always, columns.end(), has_nothing), columns.end());
  return columns;
}

std::size_t width_of(const std::vector<Column>& columns) {
  std::size_t sum = 0;
  for (const auto& column : columns) sum += column.width() + 2;
  return sum;
}

/// Leaves out columns, and then the middle of names, until the lines fit.
void fit(std::vector<Column>& columns, std::size_t width) {
  if (width == 0) return;
  const auto least = [](const Column& a, const Column& b) { return a.keep < b.keep; };
  for (;;) {
    const auto first = std::min_element(columns.begin(), columns.end(), least);
    const auto whole = width_of(columns);
    const auto name = columns.front().width();
    if (whole <= width || first->keep == 9) break;
    // Names are shortened before columns are left out, as long as enough of the names remains.
    if (whole - width + k_narrowest_name + 16 <= name) break;
    columns.erase(first);
  }
  const auto whole = width_of(columns);
  if (whole <= width) return;
  const auto name = columns.front().width();
  const auto most = std::max(k_narrowest_name, name > whole - width ? name - (whole - width) : 0);
  for (auto& cell : columns.front().cells) cell = folded_name(cell, most);
}

std::string line_of(const std::vector<Column>& columns, std::optional<std::size_t> row) {
  std::string line;
  for (const auto& column : columns) {
    const auto& text = row ? column.cells[*row] : column.head;
    line += "  " + (column.is_left ? left(text, column.width()) : right(text, column.width()));
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// One row for all loops of one name under one schedule: a compiler that unrolls a loop makes several places
/// of the region in it.
std::vector<LoopRow> rows_of(const std::vector<LoopRow>& loops) {
  std::vector<LoopRow> rows;
  std::vector<std::size_t> places;
  for (const auto& loop : loops) {
    const auto known = std::ranges::find_if(
        rows, [&](const LoopRow& row) { return row.name == loop.name && row.schedule == loop.schedule; });
    if (known == rows.end()) {
      rows.push_back(loop);
      places.push_back(1);
    } else {
      *known += loop;
      ++places[static_cast<std::size_t>(known - rows.begin())];
    }
  }
  if (rows.size() == loops.size()) return rows;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (places[i] > 1) rows[i].name += fmt::format(" ({} places)", places[i]);
  std::ranges::stable_sort(rows, std::greater(),
                           [](const LoopRow& row) { return row.too_short ? -1.0 : row.even_saves; });
  return rows;
}

/// Returns the number of static loops that were not cut anew, because they were executed once.
std::uint64_t executed_once(const std::vector<LoopRow>& loops) {
  return static_cast<std::uint64_t>(std::ranges::count_if(loops, [&](const LoopRow& loop) {
    return loop.is_watched() && loop.calls == 1 && std::ranges::none_of(loops, [&](const LoopRow& other) {
             return other.name == loop.name && !other.is_watched();
           });
  }));
}

/// One line for each region that is not served although it may be a static loop.
/// And the next step.
std::string unserved_text(const Statistics& statistics, bool any_served, const Terminal& terminal) {
  std::string text;
  for (const auto& region : statistics.unserved)
    text += laid_out(fmt::format("not served: {}{}: {}\n", folded_name(visible(region.name)),
                                 region.seconds > 0 ? ", " + duration_text(region.seconds) : "",
                                 visible(region.reason)),
                     terminal.width);
  if (const auto step = next_step(statistics); !step.empty())
    text += laid_out("next: " + visible(step) + "\n", terminal.width);
  else if (!text.empty() && terminal.is_one && any_served)
    text +=
        inked(terminal, Ink::dim,
              laid_out("  such regions run as without the library; loops in them that say schedule(runtime) "
                       "are served\n",
                       terminal.width));
  return text;
}

/// Returns the parts of the wall time, as a line; empty: they are not known.
std::string wall_time_line(const Statistics& statistics, const Terminal& terminal) {
  const auto time = wall_time_of(statistics);
  return time.is_known() ? laid_out("  " + time.text() + "\n", terminal.width) : "";
}

std::string nothing_served_text(const Statistics& statistics, const std::string& process,
                                const Terminal& terminal) {
  auto text = fmt::format("wstree: {}no loop was served\n", process);
  if (!statistics.unserved.empty())
    text += wall_time_line(statistics, terminal) + unserved_text(statistics, false, terminal);
  return text + rank_loops_text(statistics.rank_loops, terminal);
}

} // namespace

std::string statistics_text(const Statistics& statistics, const Terminal& terminal, bool several) {
  const auto process = several
                           ? fmt::format("{} (process {}): ", visible(statistics.program), statistics.process)
                           : std::string();
  if (statistics.loops.empty()) return nothing_served_text(statistics, process, terminal);
  const auto loops = rows_of(statistics.loops);
  std::uint64_t calls = 0, steals = 0, served = 0;
  bool any_told = false;
  for (const auto& loop : loops) {
    calls += loop.is_watched() ? 0 : loop.calls;
    served += loop.is_watched() ? 0 : 1;
    steals += loop.steals;
    any_told |= !loop.too_short;
  }
  auto text =
      fmt::format("wstree {}: {}{} served, {}, {}, {}\n", visible(statistics.version), process,
                  counted(served, "loop", "loops"), counted(calls, "call", "calls"),
                  counted(statistics.threads, "thread", "threads"), counted(steals, "steal", "steals"));
  auto columns = columns_of_loops(loops);
  fit(columns, terminal.width);
  text += inked(terminal, Ink::dim, line_of(columns, std::nullopt)) + "\n";
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const auto& loop = loops[i];
    const auto line = line_of(columns, i);
    const bool uneven = !loop.too_short && loop.imbalance >= k_uneven;
    text += (uneven           ? inked(terminal, Ink::bold, line)
             : loop.too_short ? inked(terminal, Ink::dim, line)
                              : line) +
            "\n";
  }
  for (const auto& loop : loops)
    if (has_new_lengths(loop.new_lengths, loop.calls))
      text += laid_out(
          fmt::format("  {}: its number of iterations never repeats ({} of {} calls), so its parts stay "
                      "equal\n",
                      folded_name(visible(loop.name)), grouped(loop.new_lengths), grouped(loop.calls)),
          terminal.width);
  if (const auto once = executed_once(statistics.loops); once != 0)
    text += laid_out(fmt::format("  {} watched, executed once: nothing is known to cut {} by\n",
                                 counted(once, "static loop", "static loops"), once == 1 ? "it" : "them"),
                     terminal.width);
  text += wall_time_line(statistics, terminal);
  if (statistics.waiting_cpu_seconds > k_worth_saving * statistics.cpu_seconds)
    text += laid_out(
        fmt::format("  CPU time {:.2f} s, of which threads that waited between regions took {:.2f} s: "
                    "WSTREE_WAIT=auto or OMP_WAIT_POLICY=passive saves most of that\n",
                    statistics.cpu_seconds, statistics.waiting_cpu_seconds),
        terminal.width);
  if (any_told && terminal.is_one)
    text += inked(
        terminal, Ink::dim,
        "  imbalance: 1 is even; even saves: what an even loop would have saved; late: how long after the "
        "first thread the mean one came; preempted: how long the mean one had no processor\n");
  const auto has_counters = [](const LoopRow& loop) { return loop.counters.instructions.has_value(); };
  if (terminal.is_one && std::ranges::any_of(loops, has_counters))
    text += inked(terminal, Ink::dim,
                  "  IPC: instructions per cycle; misses/1000: cache misses per 1,000 instructions\n");
  return text + unserved_text(statistics, true, terminal) + rank_loops_text(statistics.rank_loops, terminal);
}

} // namespace wstree::cli
