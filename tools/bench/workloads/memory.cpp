// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Loops that are bound by memory and repeated over the same data, as a solver does: threads that come back
/// to the data in their caches win.
#include "sparse_matrix.h"

namespace bench {
namespace {

constexpr int k_repetitions = 100;

struct Scale {
  double* y;
  std::uint64_t operator()(int i) const {
    y[i] = 0.999 * y[i] + 0.001;
    return 0;
  }
};

/// y = a*y + b. `Size` gives each loop machine code of its own.
template <int Size> struct Streaming : Scale {};

template <int Size> Workload stream(const std::string& name, int elements, int repetitions) {
  auto y = std::make_shared<std::vector<double>>(some_vector(elements));
  const Streaming<Size> body{{y->data()}};
  Workload made = repeated(single_loop(name, Group::memory, elements, 1.0 / elements, body, y), repetitions);
  made.prepare = [y] {
    for (std::size_t k = 0; k < y->size(); ++k) (*y)[k] = 1 + static_cast<double>(k % 1024) / 1024;
  };
  made.digest = [y] { return fingerprint(*y); };
  made.part = {};
  return made;
}

/// y = A*x, then x = A*y, and so on: every product needs all of the product before.
template <Rows Kind> struct RepeatedRow {
  const SparseMatrix* matrix;
  const double* x;
  double* y;
  std::uint64_t operator()(int i) const {
    y[i] = matrix->row(i, x);
    return 0;
  }
};

template <Rows Kind> Workload products(const std::string& name, int rows, int entries, int repetitions) {
  struct Data {
    std::shared_ptr<const SparseMatrix> matrix;
    std::vector<double> first, x, y;
    Site site;
  };
  auto data = std::make_shared<Data>();
  data->matrix = make_matrix(Kind, rows, entries);
  data->first = some_vector(rows);
  data->y.resize(data->first.size());
  const auto program = [data, rows, repetitions](const Runner& run) {
    double *from = data->x.data(), *to = data->y.data();
    for (int k = 0; k < repetitions; ++k) {
      run(rows, RepeatedRow<Kind>{data->matrix.get(), from, to}, data->site);
      std::swap(from, to);
    }
    return std::uint64_t{0};
  };
  Workload made = several_loops(name, Group::memory, data->matrix->longest_share(), program);
  made.prepare = [data] { data->x = data->first; };
  made.digest = [data] { return fingerprint(data->x) + fingerprint(data->y); };
  return made;
}

} // namespace

void add_memory(Recipes& list, double scale) {
  const auto add = [&list](const char* name, auto make) { list.push_back({name, Group::memory, make}); };
  const double least = std::min(1.0, scale);
  // Two at least: one product of a matrix is no repetition.
  const int repetitions = scaled(k_repetitions, std::sqrt(least), 2);
  const int small = scaled(327'680, least, 1000), large = scaled(4'063'232, least, 1000);
  add("STREAM/2.5MB", [=](const std::string& name) { return stream<0>(name, small, repetitions); });
  add("STREAM/31MB", [=](const std::string& name) { return stream<1>(name, large, repetitions); });
  const int rows = scaled(12'500, least, 100), entries = scaled(200'000, least, 1600);
  add("SPMV_EVEN/x100",
      [=](const std::string& name) { return products<Rows::even>(name, rows, entries, repetitions); });
  add("SPMV_POWER/x100",
      [=](const std::string& name) { return products<Rows::power_law>(name, rows, entries, repetitions); });
}

} // namespace bench
