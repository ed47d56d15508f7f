// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A square matrix in compressed rows, and its product with a vector.
#pragma once
#include "recipes.h"

namespace bench {

struct SparseMatrix {
  std::vector<std::int64_t> start; ///< begin of each row, and the end of the last
  std::vector<int> column;
  std::vector<double> value;

  int rows() const { return static_cast<int>(start.size()) - 1; }
  double row(int i, const double* x) const {
    double sum = 0;
    const auto r = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(start[r]); k < static_cast<std::size_t>(start[r + 1]); ++k)
      sum += value[k] * x[column[k]];
    return sum;
  }
  double longest_share() const;
};

enum class Rows {
  even,
  power_law ///< the first are the longest, as in a graph whose vertices are numbered by degree or by age
};

/// Returns a matrix of about `entries` values, of which those of a row add up to one: products can be
/// repeated for ever.
std::shared_ptr<const SparseMatrix> make_matrix(Rows kind, int rows, int entries);

/// Returns a vector to begin with.
std::vector<double> some_vector(int size);

} // namespace bench
