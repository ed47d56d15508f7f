// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Product of a lower triangular matrix with a full one: element (i, j) is a sum of i + 1 terms, so the last
// rows cost the most. One loop over all elements, made of two by collapse(2).
//
//   clang++ -O2 -fopenmp trimm.cpp -o trimm
//   OMP_SCHEDULE=guided ./trimm 700
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <vector>

using Vector = std::vector<double>;

// c += a * b, where a and c are stored by rows, the second factor by columns.
static void multiply(int n, const Vector& a, const Vector& b_columns, Vector& c) {
#pragma omp parallel for collapse(2) schedule(runtime)
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double* row = &a[static_cast<std::size_t>(i) * n];
      const double* column = &b_columns[static_cast<std::size_t>(j) * n];
      double sum = 0;
      for (int k = 0; k <= i; ++k) sum += row[k] * column[k];
      c[static_cast<std::size_t>(i) * n + j] += sum;
    }
  }
}

// Small integers, of which sums and products are exact, so that a check needs no tolerance; positive, so that
// an element which is missing or computed twice cannot go unnoticed.
static Vector small_integers(std::size_t n, unsigned seed) {
  Vector values(n);
  for (double& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<double>(1 + (seed >> 28));
  }
  return values;
}

// Multiplies both sides of c = a * b with a vector, which takes n * n steps instead of n * n * n.
static bool product_is_right(int n, const Vector& a, const Vector& b_columns, const Vector& c) {
  const Vector x = small_integers(static_cast<std::size_t>(n), 3);
  Vector bx(static_cast<std::size_t>(n), 0);
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < n; ++k) bx[k] += b_columns[static_cast<std::size_t>(j) * n + k] * x[j];
  }
  for (int i = 0; i < n; ++i) {
    double abx = 0, cx = 0;
    for (int k = 0; k <= i; ++k) abx += a[static_cast<std::size_t>(i) * n + k] * bx[k];
    for (int j = 0; j < n; ++j) cx += c[static_cast<std::size_t>(i) * n + j] * x[j];
    if (abx != cx) {
      std::fprintf(stderr, "trimm: row %d is wrong\n", i);
      return false;
    }
  }
  return true;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 700;
  if (argc > 2 || n < 1 || n > 20000) {
    std::fputs("usage: trimm [ROWS]\n", stderr);
    return 2;
  }
  const std::size_t size = static_cast<std::size_t>(n) * n;
  const Vector a = small_integers(size, 1), b_columns = small_integers(size, 2);
  Vector c(size, 0);

  const double start = omp_get_wtime();
  multiply(n, a, b_columns, c);
  const double seconds = omp_get_wtime() - start;

  double trace = 0;
  for (int i = 0; i < n; ++i) trace += c[static_cast<std::size_t>(i) * n + i];
  std::printf("trimm %d: trace %.0f; %d threads, %.6f s\n", n, trace, omp_get_max_threads(), seconds);
  return product_is_right(n, a, b_columns, c) ? 0 : 1;
}
