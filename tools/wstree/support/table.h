// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "terminal.h"

#include <algorithm>
#include <string>
#include <vector>

namespace wstree::cli {

/// The style of a table.
struct TableStyle {
  bool last_is_left = false;          ///< the last column is flush left, too
  std::size_t width = 0;              ///< the first column is cut so that lines fit; 0: any width
  const Terminal* terminal = nullptr; ///< lines are indented there, and the head is dim
};

/// Columns as wide as they have to be, the first one flush left.
class Table {
public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text(const TableStyle& style = {}) const {
    const std::string gap = style.terminal != nullptr ? "  " : "";
    const auto widths = widths_for(style.width);
    std::string out;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t c = 0; c < row.size(); ++c) {
        const bool is_left = c == 0 || (style.last_is_left && c + 1 == widths.size());
        const auto cell = c == 0 ? fitted(row[c], widths[c]) : row[c];
        line += (c == 0 ? gap : "  ") + (is_left ? left(cell, widths[c]) : right(cell, widths[c]));
      }
      line.erase(line.find_last_not_of(' ') + 1); // blanks of cells that are empty
      const bool is_dim = style.terminal != nullptr && &row == &rows_.front();
      out += (is_dim ? inked(*style.terminal, Ink::dim, line) : line) + '\n';
    }
    return out;
  }

private:
  [[nodiscard]] std::vector<std::size_t> widths_for(std::size_t most) const {
    constexpr std::size_t k_least = 16; // least width of the first column
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], columns_of(row[c]));
    }
    std::size_t whole = 0;
    for (const auto one : widths) whole += one + 2;
    if (most != 0 && whole > most)
      widths[0] =
          std::max(std::min(k_least, widths[0]), widths[0] > whole - most ? widths[0] - (whole - most) : 0);
    return widths;
  }

  std::vector<std::vector<std::string>> rows_;
};

} // namespace wstree::cli
