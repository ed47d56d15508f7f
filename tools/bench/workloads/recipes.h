// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Functions that the files of workloads share.
#pragma once
#include "measure/kernel.h"
#include "measure/loop_forms.h"
#include "workloads.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>

namespace bench {

/// Each file adds its own to the list.
using Recipes = std::vector<WorkloadRecipe>;
void add_paper(Recipes& list, double scale);
void add_small(Recipes& list, double scale);
void add_grid(Recipes& list, double scale);
void add_programs(Recipes& list, double scale);
void add_matrices(Recipes& list, double scale);
void add_bodies(Recipes& list, double scale);
void add_graphs(Recipes& list, double scale);
void add_rays(Recipes& list, double scale);
void add_memory(Recipes& list, double scale);
void add_short(Recipes& list, double scale);
void add_blocks(Recipes& list, double scale);
void add_three_places(Recipes& list, double scale);
void add_surprises(Recipes& list, double scale);
void add_untuned(Recipes& list, double scale);

/// Returns a size that follows the scale and does not vanish.
inline int scaled(int size, double scale, int least) {
  return std::max(least, static_cast<int>(std::lround(size * scale)));
}

/// Returns a number whose sum over all values does not depend on their order, but differs if a bit of one
/// value or its place differs.
inline std::uint64_t fingerprint(std::size_t place, double value) {
  return spin(std::bit_cast<std::uint64_t>(value) ^ (place * 0xD1B54A32D192ED03u), 1);
}
inline std::uint64_t fingerprint(const std::vector<double>& values) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < values.size(); ++k) sum += fingerprint(k, values[k]);
  return sum;
}

/// Returns a number, uniform in [0, 1), that depends on `i` alone.
inline double uniform_of(std::uint64_t i) { return static_cast<double>(scatter(i) >> 11) * 0x1p-53; }

/// One loop a pass. The data to which the body points must live as long as the workload: `data` sees to that.
template <class Body>
Workload single_loop(const std::string& name, Group group, int n, double longest_share, const Body& body,
                     std::shared_ptr<const void> data = nullptr) {
  auto site = std::make_shared<Site>();
  return {name,
          group,
          false,
          longest_share,
          [n, body, data, site](Form form, int threads) { return loop(form, n, threads, body, *site); },
          [n, body] { return loop_plain(n, body); },
          n,
          1,
          [body](int begin, int end) { return loop_part(begin, end, body); }};
}

/// Returns the workload with its loop so many times a pass, a region each.
Workload repeated(Workload once, int loops);

/// Runs one loop of several that make up a pass. The plain pass is the same code with a runner that does
/// not share anything out.
class Runner {
public:
  Runner(Form form, int threads) : form_(form), threads_(threads) {}
  Runner() = default;

  template <class Body> std::uint64_t operator()(int n, const Body& body, Site& site) const {
    return threads_ == 0 ? loop_plain(n, body) : loop(form_, n, threads_, body, site);
  }
  int threads() const { return std::max(1, threads_); }

private:
  Form form_ = Form::runtime;
  int threads_ = 0; ///< none: without a runtime
};

/// A pass of several loops; `program` is called with a Runner and returns a sum that does not depend on the
/// order of iterations.
template <class Program>
Workload several_loops(const std::string& name, Group group, double longest_share, const Program& program) {
  return {name,
          group,
          false,
          longest_share,
          [program](Form form, int threads) { return program(Runner(form, threads)); },
          [program] { return program(Runner()); },
          0,
          1,
          {}};
}

} // namespace bench
