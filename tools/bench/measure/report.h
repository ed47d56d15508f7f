// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program's output: tables, and the project's goals for their figures.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// Returns the median of the values; 0: there are none.
double median(std::vector<double> values);
/// Returns half the distance of the quartiles over the median; negative: there are too few values.
double spread_of(std::vector<double> values);
/// Returns "1.234", "12.34", "123.4" or "1234".
std::string number_text(double value);

/// A measured value with its spread, or a text.
struct Cell {
  std::optional<double> value{};
  double spread = -1; ///< negative: unknown
  std::string text{}; ///< shown instead
  bool is_fact = false;
};
/// Returns the median of the samples; an empty cell if there are none.
Cell sample(const std::vector<double>& values);
/// Returns a value of the machine or the workload: pictures may need it, comparisons leave it out.
Cell fact(std::optional<double> value, const std::string& more = "");
Cell words(std::string text);

class Table {
public:
  Table(std::string head, std::string unit, std::string runtime)
      : head_(std::move(head)), unit_(std::move(unit)), runtime_(std::move(runtime)) {}

  /// Rows and columns stand in the order in which they come.
  Cell& at(const std::string& row, const std::string& column);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Columns as wide as their cells, the first one flush left.
  void print() const;

private:
  friend class Report;
  struct Row {
    std::string name;
    std::vector<Cell> cells;
  };
  std::string head_, unit_, runtime_;
  std::vector<std::string> columns_;
  std::deque<Row> rows_;
};

/// A figure that many values have to reach; larger is worse.
struct Verdict {
  std::string what, runtime;
  double limit;
  double worst = 0;
  std::size_t held = 0, of = 0;
  std::vector<std::string> failures{};

  /// Adds a value. A figure without a value, which other work has spoilt, is not reached.
  void add(const std::string& name, std::optional<double> value);
};

class Report {
public:
  Report(int threads, int rounds) : threads_(threads), rounds_(rounds) {}

  /// Returns the table of that unit and runtime. `head`: above the names of the rows. `runtime`: where a
  /// program measures several.
  Table& table(std::string head, std::string unit, std::string runtime = "");
  /// Returns the verdict of that name; it is shown once it has a value.
  Verdict& verdict(const std::string& what, double limit, const std::string& runtime = "");
  /// Counts samples that are not used.
  void drop(int samples) { dropped_ += samples; }
  void print_verdicts(const std::string& runtime = "") const;
  /// Writes the figures to the file unless its name is empty: {"threads", "rounds", "dropped", "rows",
  /// "facts", "verdicts"}, with rows and facts as in results.json. Returns false, with a message, if it
  /// cannot be written.
  [[nodiscard]] bool write(const std::string& path) const;

private:
  int threads_, rounds_, dropped_ = 0;
  std::deque<Table> tables_; // do not move: callers hold references
  std::deque<Verdict> verdicts_;
};

} // namespace bench
