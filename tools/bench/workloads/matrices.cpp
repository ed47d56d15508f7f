// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Triangular and sparse algebra. A row of a result is the sum over its row of the matrix in a fixed order,
/// so that results are the same bit for bit whichever thread computes the row.
#include "sparse_matrix.h"

namespace bench {
namespace {

/// One element of the product of two lower triangular integer matrices.
struct TriangularProduct {
  int side;
  const std::uint32_t *left, *right; ///< right is stored transposed
  std::uint64_t operator()(int i) const {
    const int row = i / side, column = i % side;
    std::uint64_t sum = 0;
    for (int k = column; k <= row; ++k) sum += std::uint64_t{left[row * side + k]} * right[column * side + k];
    return sum;
  }
};

Workload triangular_product(const std::string& name, int side) {
  const auto entries = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  auto data = std::make_shared<std::vector<std::uint32_t>>(2 * entries);
  for (std::size_t k = 0; k < data->size(); ++k) (*data)[k] = static_cast<std::uint32_t>(scatter(k) >> 40);
  const TriangularProduct body{side, data->data(), data->data() + entries};
  // side^3/6 multiplications in all, `side` for the corner element
  return single_loop(name, Group::program, side * side, 6.0 / side / side, body, data);
}

/// One row of the product of a lower triangular matrix, whose rows lie one behind the other, and a vector.
struct TriangularRow {
  const double *matrix, *x;
  double* y;
  std::uint64_t operator()(int i) const {
    const double* const row = matrix + std::int64_t{i} * (i + 1) / 2;
    double sum = 0;
    for (int k = 0; k <= i; ++k) sum += row[k] * x[k];
    y[i] = sum;
    return fingerprint(static_cast<std::size_t>(i), sum);
  }
};

Workload triangular_vector(const std::string& name, int rows) {
  struct Data {
    std::vector<double> matrix, x, y;
  };
  auto data = std::make_shared<Data>();
  const auto count = static_cast<std::size_t>(rows);
  data->matrix.resize(count * (count + 1) / 2);
  for (std::size_t k = 0; k < data->matrix.size(); ++k) data->matrix[k] = 1 + uniform_of(k);
  data->x = some_vector(rows);
  data->y.resize(count);
  const TriangularRow body{data->matrix.data(), data->x.data(), data->y.data()};
  return single_loop(name, Group::program, rows, 2.0 / rows, body, data);
}

struct SparseRow {
  const SparseMatrix* matrix;
  const double* x;
  double* y;
  std::uint64_t operator()(int i) const {
    y[i] = matrix->row(i, x);
    return fingerprint(static_cast<std::size_t>(i), y[i]);
  }
};

Workload sparse_vector(const std::string& name, int rows, int entries) {
  struct Data {
    std::shared_ptr<const SparseMatrix> matrix;
    std::vector<double> x, y;
  };
  auto data = std::make_shared<Data>();
  data->matrix = make_matrix(Rows::power_law, rows, entries);
  data->x = some_vector(rows);
  data->y.resize(data->x.size());
  const SparseRow body{data->matrix.get(), data->x.data(), data->y.data()};
  return single_loop(name, Group::program, rows, data->matrix->longest_share(), body, data);
}

/// Entries of each row. The exponent is that of degrees by rank in a graph whose degree
/// d occurs d^-2.7 times.
std::vector<std::int64_t> row_lengths(Rows kind, int rows, int entries) {
  const auto weight = [kind](int i) { return kind == Rows::even ? 1.0 : std::pow(i + 1, -0.6); };
  double all = 0;
  for (int i = 0; i < rows; ++i) all += weight(i);
  std::vector<std::int64_t> lengths;
  for (int i = 0; i < rows; ++i)
    lengths.push_back(std::max<std::int64_t>(1, std::llround(entries * weight(i) / all)));
  return lengths;
}

} // namespace

double SparseMatrix::longest_share() const {
  std::int64_t longest = 0;
  for (std::size_t i = 0; i + 1 < start.size(); ++i) longest = std::max(longest, start[i + 1] - start[i]);
  return static_cast<double>(longest) / static_cast<double>(start.back());
}

std::shared_ptr<const SparseMatrix> make_matrix(Rows kind, int rows, int entries) {
  auto made = std::make_shared<SparseMatrix>();
  made->start.push_back(0);
  for (const std::int64_t length : row_lengths(kind, rows, entries)) {
    for (std::int64_t k = 0; k < length; ++k) {
      made->column.push_back(static_cast<int>(scatter(made->column.size()) % static_cast<unsigned>(rows)));
      made->value.push_back(1.0 / static_cast<double>(length));
    }
    made->start.push_back(static_cast<std::int64_t>(made->column.size()));
  }
  return made;
}

std::vector<double> some_vector(int size) {
  std::vector<double> made(static_cast<std::size_t>(size));
  for (std::size_t k = 0; k < made.size(); ++k) made[k] = 1 + uniform_of(k);
  return made;
}

void add_matrices(Recipes& list, double scale) {
  const auto add = [&list](const char* name, auto make) { list.push_back({name, Group::program, make}); };
  const double root = std::sqrt(scale);
  add("TRIMV", [=](const std::string& name) { return triangular_vector(name, scaled(4000, root, 16)); });
  add("TRIMM", [=](const std::string& name) { return triangular_product(name, scaled(320, root, 16)); });
  add("SPMV", [=](const std::string& name) {
    return sparse_vector(name, scaled(60'000, scale, 100), scaled(3'000'000, scale, 5000));
  });
}

} // namespace bench
