// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repeated product of a sparse matrix with a vector, y += A x. The lengths of the rows follow a power law, as
// the degrees in a network do: a few rows hold a large part of all entries, and they come first.
//
//   clang++ -O2 -fopenmp spmv.cpp -o spmv
//   OMP_SCHEDULE=guided ./spmv 200000
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <vector>

// Compressed rows: the entries of row r are start[r] .. start[r + 1] - 1.
struct Matrix {
  long rows = 0;
  std::vector<long> start;
  std::vector<int> column;
  std::vector<float> value;
};

// Row r has about rows / (8 (r + 1)^0.7) entries, but at least 4. All values are small integers, of which
// sums and products are exact, so that a check needs no tolerance.
static Matrix power_law_matrix(long rows) {
  Matrix matrix;
  unsigned random = 1;
  matrix.rows = rows;
  matrix.start.push_back(0);
  for (long r = 0; r < rows; ++r) {
    const double law = static_cast<double>(rows) / (8 * std::pow(static_cast<double>(r + 1), 0.7));
    for (long entry = std::max(4L, static_cast<long>(law)); entry > 0; --entry) {
      random = random * 1664525u + 1013904223u;
      matrix.column.push_back(
          static_cast<int>((static_cast<unsigned long>(random) * static_cast<unsigned long>(rows)) >> 32));
      matrix.value.push_back(static_cast<float>(1 + random % 7));
    }
    matrix.start.push_back(static_cast<long>(matrix.column.size()));
  }
  return matrix;
}

static double row_times(const Matrix& matrix, long row, const std::vector<double>& x) {
  double sum = 0;
  for (long k = matrix.start[row]; k < matrix.start[row + 1]; ++k)
    sum += matrix.value[k] * x[matrix.column[k]];
  return sum;
}

int main(int argc, char** argv) {
  const long rows = argc > 1 ? std::atol(argv[1]) : 200000;
  const int sweeps = argc > 2 ? std::atoi(argv[2]) : 50;
  if (argc > 3 || rows < 1 || rows > 100000000 || sweeps < 1 || sweeps > 1000000) {
    std::fputs("usage: spmv [ROWS [SWEEPS]]\n", stderr);
    return 2;
  }
  const Matrix matrix = power_law_matrix(rows);
  std::vector<double> x(static_cast<std::size_t>(rows)), y(static_cast<std::size_t>(rows), 0);
  for (long i = 0; i < rows; ++i) x[i] = static_cast<double>(1 + i % 5);

  const double start = omp_get_wtime();
#pragma omp parallel
  for (int sweep = 0; sweep < sweeps; ++sweep) {
#pragma omp for schedule(runtime)
    for (long row = 0; row < rows; ++row) y[row] += row_times(matrix, row, x);
  }
  const double seconds = omp_get_wtime() - start;

  double sum = 0;
  long wrong = 0;
  for (long row = 0; row < rows; ++row) {
    sum += y[row];
    wrong += y[row] != sweeps * row_times(matrix, row, x);
  }
  std::printf("spmv %ld %d: %zu entries, sum %.0f; %d threads, %.6f s\n", rows, sweeps, matrix.value.size(),
              sum, omp_get_max_threads(), seconds);
  if (wrong != 0) std::fprintf(stderr, "spmv: %ld rows are wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
