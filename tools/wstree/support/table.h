// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "terminal.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wstree::cli {

/// The style of a table.
struct TableStyle {
  enum class Left : std::uint8_t { first, first_and_last, all };
  Left left = Left::first;            ///< the columns that are flush left
  std::size_t width = 0;              ///< the first column is cut so that lines fit; 0: any width
  const Terminal* terminal = nullptr; ///< lines are indented there, and the head is dim
};

struct Cell {
  std::string text;
  std::optional<Ink> ink; ///< on a terminal
  Cell(std::string words = {}, std::optional<Ink> colour = {}) : text(std::move(words)), ink(colour) {}
  Cell(const char* words) : text(words) {}
};

/// Columns as wide as they have to be, two blanks between them, none at the end of a line.
class Table {
public:
  using Row = std::vector<Cell>;

  explicit Table(std::vector<Row> rows = {}) : rows_(std::move(rows)) {}
  void add(Row row) { rows_.push_back(std::move(row)); }

  /// Returns the columns that the table takes on a terminal if nothing is cut.
  [[nodiscard]] std::size_t width() const {
    const auto widths = this->widths();
    return std::accumulate(widths.begin(), widths.end(), 2 * widths.size());
  }
  [[nodiscard]] std::string text(const TableStyle& style = {}) const {
    constexpr std::size_t k_least = 16; // of the first column
    auto widths = this->widths();
    if (const auto whole = width(); style.width != 0 && whole > style.width) {
      const auto over = whole - style.width;
      widths[0] = std::max(std::min(k_least, widths[0]), widths[0] > over ? widths[0] - over : 0);
    }
    std::string out;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t c = 0; c < row.size(); ++c) {
        const auto cell = c == 0 ? fitted(row[c].text, widths[c]) : row[c].text;
        const std::string blanks(widths[c] - std::min(widths[c], columns_of(cell)), ' ');
        const auto shown =
            row[c].ink && style.terminal != nullptr ? inked(*style.terminal, *row[c].ink, cell) : cell;
        if (c != 0 || style.terminal != nullptr) line += "  ";
        line += is_left(c, style.left, widths.size()) ? shown + blanks : blanks + shown;
      }
      line.erase(line.find_last_not_of(' ') + 1); // blanks of cells that are empty
      const bool is_dim = style.terminal != nullptr && &row == &rows_.front();
      out += (is_dim ? inked(*style.terminal, Ink::dim, line) : line) + '\n';
    }
    return out;
  }

private:
  static bool is_left(std::size_t column, TableStyle::Left left, std::size_t columns) {
    return column == 0 || left == TableStyle::Left::all ||
           (left == TableStyle::Left::first_and_last && column + 1 == columns);
  }
  [[nodiscard]] std::vector<std::size_t> widths() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], columns_of(row[c].text));
    }
    return widths;
  }

  std::vector<Row> rows_;
};

} // namespace wstree::cli
