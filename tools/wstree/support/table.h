// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace wstree::cli {

/// Columns as wide as they have to be, the first one flush left.
class Table {
public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      for (std::size_t c = 0; c < row.size(); ++c)
        out += c == 0 ? fmt::format("{:<{}}", row[c], widths[c]) : fmt::format("  {:>{}}", row[c], widths[c]);
      out.erase(out.find_last_not_of(' ') + 1); // of cells that are empty
      out += '\n';
    }
    return out;
  }

private:
  std::vector<std::vector<std::string>> rows_;
};

} // namespace wstree::cli
