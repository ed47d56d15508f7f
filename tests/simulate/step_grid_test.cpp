// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No place and no width of an expensive interval catches the batches out: STEP at every position and span.
#include "simulated.h"

#include "greedy.h"

namespace wstree::test {
namespace {

struct Grid {
  std::uint32_t members;
  std::uint64_t iterations;
  Time ideal;
  int side;       ///< positions, and spans
  bool is_narrow; ///< spans from a half to a 1024th of the iterations, in proportion; else up to all, evenly
  double factor;  ///< what an iteration of the interval costs more
};
std::ostream& operator<<(std::ostream& out, const Grid& grid) {
  return out << grid.members << " members, " << grid.iterations << " iterations";
}

double span_of(const Grid& grid, int place) {
  if (!grid.is_narrow) return (place + 1.0) / grid.side;
  return std::exp2(-1 - 9.0 * place / (grid.side - 1));
}

/// `span` of the iterations cost `factor` times as much as the others, from `position` of what is left of the
/// loop on. The ideal time is that of the grid.
Workload step(const Grid& grid, double position, double span) {
  const auto n = static_cast<double>(grid.iterations);
  const auto wide = static_cast<std::uint64_t>(std::max(1.0, std::round(span * n)));
  const auto begin = static_cast<std::uint64_t>(std::round(position * (n - static_cast<double>(wide))));
  const double units = n + static_cast<double>(wide) * (grid.factor - 1);
  const auto ideal = static_cast<double>(grid.ideal);
  const double unit = std::min(ideal * grid.members / units, ideal / grid.factor);
  const auto stretch = [&](std::uint64_t iterations, double cost) {
    return simulate::Stretch{iterations, static_cast<Time>(static_cast<double>(iterations) * cost * unit)};
  };
  std::vector<simulate::Stretch> stretches;
  if (begin > 0) stretches.push_back(stretch(begin, 1));
  stretches.push_back(stretch(wide, grid.factor));
  if (begin + wide < grid.iterations) stretches.push_back(stretch(grid.iterations - begin - wide, 1));
  return {"STEP", stretches};
}

struct GridFigures {
  double mean = 0;
  double worst = 0;
  std::string where;
};

/// Of time / ideal; or of time / time of single iterations from a counter that costs nothing, which is more
/// where there are few of them.
GridFigures over(const Grid& grid, bool against_greedy) {
  GridFigures figures;
  for (int place = 0; place < grid.side; ++place)
    for (int width = 0; width < grid.side; ++width) {
      const double position = static_cast<double>(place) / (grid.side - 1);
      const double span = span_of(grid, width);
      const Workload loop = step(grid, position, span);
      double value = ratio(with(loop, {Model::tree, 0}, grid.members), 1);
      if (against_greedy)
        value *= static_cast<double>(loop.ideal(grid.members)) /
                 static_cast<double>(simulate::greedy(loop, grid.members));
      figures.mean += value / (grid.side * grid.side);
      if (value <= figures.worst) continue;
      figures.worst = value;
      figures.where = std::to_string(span) + " of the loop at " + std::to_string(position);
    }
  return figures;
}

double uniform(const Grid& grid) {
  const Workload loop("UNIFORM", {simulate::Stretch{grid.iterations, grid.ideal * grid.members}});
  return ratio(with(loop, {Model::tree, 0}, grid.members));
}

/// With --gtest_output=xml what was reached can be read, and not only that it was enough.
void record(const GridFigures& figures) {
  testing::Test::RecordProperty("mean", std::to_string(figures.mean));
  testing::Test::RecordProperty("worst", std::to_string(figures.worst));
  testing::Test::RecordProperty("where", figures.where);
}

void expect_grid(const Grid& grid, double mean, double worst) {
  const GridFigures figures = over(grid, false);
  record(figures);
  EXPECT_LT(figures.mean, mean) << grid;
  EXPECT_LT(figures.worst, worst) << grid << ", " << figures.where;
}

constexpr int k_few = 5;  // positions and spans
constexpr int k_all = 16; // likewise

TEST(StepGrid, AnIntervalAnywhere) {
  for (const std::uint32_t members : {2U, 8U})
    for (const double factor : {100.0, 1'000.0})
      expect_grid({members, 100'000, k_ms, k_few, false, factor}, 1.02, 1.03);
  expect_grid({2, 1'000, k_ms, k_few, false, 100}, 1.02, 1.03);
  expect_grid({64, 100'000, k_ms, k_few, false, 100}, 1.03, 1.05);
}

TEST(StepGrid, ANarrowIntervalAnywhere) {
  expect_grid({2, 100'000, k_ms, k_few, true, 100}, 1.02, 1.05);
  expect_grid({8, 100'000, k_ms, k_few, true, 100}, 1.03, 1.15);
  expect_grid({8, 1'000'000, k_ms, k_few, true, 100}, 1.03, 1.15);
}

TEST(StepGrid, EvenLoopsPayLittle) {
  for (const std::uint64_t iterations : {1'000ULL, 100'000ULL, 1'000'000ULL})
    EXPECT_LT(uniform({2, iterations, k_ms, 0, false, 1}), 1.02) << iterations;
  EXPECT_LT(uniform({8, 100'000, k_ms, 0, false, 1}), 1.02);
  EXPECT_LT(uniform({64, 100'000, k_ms, 0, false, 1}), 1.02);
  EXPECT_LT(uniform({2, 10'000'000, 5 * k_ms, 0, false, 1}), 1.005);
}

class StepGridOf : public testing::TestWithParam<std::tuple<std::uint32_t, std::uint64_t, int, int>> {
protected:
  Grid grid() const {
    const auto [members, iterations, milliseconds, factor] = GetParam();
    return {members, iterations, static_cast<Time>(milliseconds) * k_ms,
            k_all,   false,      static_cast<double>(factor)};
  }
};

TEST_P(StepGridOf, EveryPositionAndSpan_long) {
  const Grid wanted = grid();
  // 64 and more members with 15 iterations each, and fewer: the longest of them decide.
  if (wanted.iterations < 100ULL * wanted.members) {
    const GridFigures figures = over(wanted, true);
    record(figures);
    EXPECT_LT(figures.mean, 1.05);
    EXPECT_LT(figures.worst, 1.15) << figures.where;
    return;
  }
  expect_grid(wanted, 1.04, 1.15);
  if (wanted.iterations >= 100'000) {
    EXPECT_LT(uniform(wanted), 1.02);
  }
}
INSTANTIATE_TEST_SUITE_P(Machines, StepGridOf,
                         testing::Combine(testing::Values(2, 8, 64, 256),
                                          testing::Values(1'000, 100'000, 1'000'000), testing::Values(1, 10),
                                          testing::Values(100, 1'000)));

} // namespace
} // namespace wstree::test
