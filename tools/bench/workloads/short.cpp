// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The patterns in which real programs have short loops. Each is a small program of its kind: in most of them
/// hardly any loop is like the last one.
#include "short_loops.h"
#include "sparse_matrix.h"
#include <array>

namespace bench {
namespace {

/// A table in which each cell needs those above, to the left and between: a loop for each diagonal, of one
/// iteration more than the last, later of one less.
class Wavefront {
public:
  Wavefront(int side, double work)
      : side_(size_of(side, work)), times_(times_of(2.0 * side_ * side_, work)) {}
  void reset() {
    for (Doubles& diagonal : diagonals_) diagonal = doubles(side_ + 1, 1);
    sums_ = doubles(side_);
  }
  void run(const Loops& loop) {
    for (int time = 0; time < times_; ++time)
      for (int d = 0; d < 2 * side_ - 1; ++d) {
        const int first = std::max(0, d - side_ + 1), last = std::min(d, side_ - 1);
        // Row i is at i + 1: the row above the table does not change.
        const double *before = at(d + 1), *two_before = at(d);
        double *now = at(d + 2), *sums = sums_.data();
        loop(last - first + 1, [=](int k) {
          const int i = first + k;
          const double left = before[i + 1], up = before[i], between = two_before[i];
          now[i + 1] = 0.4 * std::sqrt(left * up + 1) + 0.5 * between / (1 + left);
          sums[i] += now[i + 1];
        });
      }
  }
  const Doubles& result() const { return sums_; }

private:
  double* at(int diagonal) { return diagonals_[static_cast<std::size_t>(diagonal % 3)].data(); }

  int side_, times_;
  std::array<Doubles, 3> diagonals_;
  Doubles sums_;
};

/// A time step that does the same 20 things for each of 11 groups of different sizes: 220 loops that differ
/// in place or trip count, time and again.
class Groups {
public:
  Groups(int base, double work) : base_(size_of(base, work)) { times_ = times_of(220 * 1.5 * base_, work); }
  void reset() {
    for (int g = 0; g < k_groups; ++g) {
      from_[static_cast<std::size_t>(g)] = some_vector(size(g) + k_places + 1);
      to_[static_cast<std::size_t>(g)] = from_[static_cast<std::size_t>(g)];
    }
  }
  void run(const Loops& loop) {
    for (int time = 0; time < times_; ++time)
      for (int g = 0; g < k_groups; ++g)
        step(loop, static_cast<std::size_t>(g), std::make_integer_sequence<int, k_places>());
  }
  const Doubles& result() {
    all_.clear();
    for (const Doubles& group : from_) all_.insert(all_.end(), group.begin(), group.end());
    return all_;
  }

private:
  static constexpr int k_groups = 11, k_places = 20;

  /// A loop of a time step; each has a place of its own in the program.
  template <int place> struct Small {
    const double* from;
    double* to;
    void operator()(int i) const {
      const double slope = from[i + place + 1] - from[i];
      to[i] = from[i] + 0.01 * slope / (1 + slope * slope);
    }
  };
  template <int... places>
  void step(const Loops& loop, std::size_t g, std::integer_sequence<int, places...>) {
    const int n = size(static_cast<int>(g));
    ((loop(n, Small<places>{from_[g].data(), to_[g].data()}), from_[g].swap(to_[g])), ...);
  }
  int size(int group) const { return base_ + base_ * group / 10; }

  int base_, times_;
  std::array<Doubles, k_groups> from_, to_;
  Doubles all_;
};

/// Levels of a search: in each so many vertices take the shortest of their ways from the last level. Number
/// of vertices and of edges differ from level to level, and edges from vertex to vertex.
class Frontier {
public:
  struct Size {
    int levels, width;
  };
  Frontier(Size size, double work) : levels_(scaled(size.levels, work, 4)), width_(size.width) {}
  void reset() {
    from_ = doubles(2 * width_, 1);
    to_ = from_;
    sums_ = doubles(2 * width_);
  }
  void run(const Loops& loop) {
    int before = width_;
    for (int level = 0; level < levels_; ++level) {
      const auto seed = static_cast<std::uint64_t>(level) << 32;
      const int n = 1 + static_cast<int>(uniform_of(seed + 1) * 2 * (width_ - 1));
      const double edges = 4 + 24 * uniform_of(seed + 2); // edges of a vertex that has many
      const double* const from = from_.data();
      double *to = to_.data(), *sums = sums_.data();
      loop(n, [=](int v) {
        const std::uint64_t vertex = seed + 3 + static_cast<std::uint64_t>(v);
        const double u = uniform_of(vertex);
        double shortest = 1e9;
        for (int k = 1 + static_cast<int>(edges * u * u * u); k > 0; --k) {
          const std::uint64_t edge = one_unit(vertex + (static_cast<std::uint64_t>(k) << 20));
          const auto source = (edge >> 32) * static_cast<std::uint64_t>(before) >> 32;
          shortest = std::min(shortest, from[source] + static_cast<double>(edge & 1023) * 0x1p-10);
        }
        to[v] = shortest;
        sums[v] += shortest;
      });
      from_.swap(to_);
      before = n;
    }
  }
  const Doubles& result() const { return sums_; }

private:
  int levels_, width_;
  Doubles from_, to_, sums_;
};

/// Pairs of bodies that lie in a row: a region for each body and those behind it, of which near ones cost
/// more. The last regions have a handful of iterations.
class RowByRow {
public:
  RowByRow(int bodies, double work)
      : bodies_(size_of(bodies, work)), times_(times_of(1.8 * bodies_ * bodies_, work)) {}
  void reset() {
    place_ = some_vector(bodies_);
    std::sort(place_.begin(), place_.end());
    force_ = doubles(bodies_);
  }
  void run(const Loops& loop) {
    for (int time = 0; time < times_; ++time)
      for (int i = 0; i + 1 < bodies_; ++i) {
        const double here = place_[static_cast<std::size_t>(i)];
        const double* const others = place_.data() + i + 1;
        double* const force = force_.data() + i + 1;
        loop(bodies_ - i - 1, [=](int k) {
          const double distance = others[k] - here;
          force[k] += distance < 0.1 ? std::exp(-20 * distance) / (0.01 + distance) : 0.5 / (1 + distance);
        });
      }
  }
  const Doubles& result() const { return force_; }

private:
  int bodies_, times_;
  Doubles place_, force_;
};

/// Heat in a rod: all time steps are in one region, two loops each.
class Steps {
public:
  Steps(int size, double work) : size_(size_of(size, work)), times_(times_of(1.5 * size_, work)) {}
  void reset() {
    heat_ = some_vector(size_ + 1);
    flow_ = doubles(size_ + 1);
  }
  void run(const Loops& loop) {
    const int n = size_, times = times_;
    double *heat = heat_.data(), *flow = flow_.data();
    loop.in_region([=] {
      for (int time = 0; time < times; ++time) {
        loop.step(n - 1, [=](int i) {
          const double difference = heat[i] - heat[i + 1];
          flow[i + 1] = 0.2 * difference / (1 + difference * difference);
        });
        loop.step(n, [=](int i) { heat[i] += flow[i] - flow[i + 1]; });
      }
    });
  }
  const Doubles& result() const { return heat_; }

private:
  int size_, times_;
  Doubles heat_, flow_; // flow 0 and the last are over the ends and stay zero
};

/// Products of one sparse matrix and a vector, again and again: a few rows have most of the entries.
class Products {
public:
  Products(int rows, double work)
      : matrix_(make_matrix(Rows::power_law, size_of(rows, work), 8 * size_of(rows, work))),
        times_(times_of(8.0 * matrix_->rows(), work)) {}
  void reset() {
    from_ = some_vector(matrix_->rows());
    to_ = from_;
  }
  void run(const Loops& loop) {
    for (int time = 0; time < times_; ++time) {
      const SparseMatrix* const matrix = matrix_.get();
      const double* const from = from_.data();
      double* const to = to_.data();
      loop(matrix->rows(), [=](int i) { to[i] = 0.5 * from[i] + 0.5 * matrix->row(i, from) + 1e-3 * i; });
      from_.swap(to_);
    }
  }
  const Doubles& result() const { return from_; }

private:
  std::shared_ptr<const SparseMatrix> matrix_;
  int times_;
  Doubles from_, to_;
};

/// V-cycles of a multigrid for Poisson's equation on a line: the same loops on levels down to 8 points, where
/// a loop is nothing.
class Multigrid {
public:
  Multigrid(int bits, double work) : times_(times_of(10.0 * (1 << bits), work)) {
    for (int k = is_test(work) ? std::min(bits, 8) : bits; k >= 3; --k)
      levels_.push_back({1 << k, {}, {}, {}});
  }
  void reset() {
    for (Level& level : levels_) level.u = level.other = level.f = doubles(level.n + 2);
    for (int i = 1; i <= levels_[0].n; ++i)
      levels_[0].f[static_cast<std::size_t>(i)] = uniform_of(static_cast<std::uint64_t>(i)) - 0.5;
  }
  void run(const Loops& loop) {
    for (int time = 0; time < times_; ++time) {
      for (std::size_t l = 0; l + 1 < levels_.size(); ++l) down(loop, levels_[l], levels_[l + 1]);
      for (int k = 0; k < 4; ++k) smooth(loop, levels_.back());
      for (std::size_t l = levels_.size() - 1; l-- > 0;) up(loop, levels_[l + 1], levels_[l]);
    }
  }
  const Doubles& result() const { return levels_[0].u; }

private:
  struct Level {
    int n;
    Doubles u, other, f; // with a point of zero at either end
  };

  static void smooth(const Loops& loop, Level& level) {
    const double *u = level.u.data() + 1, *f = level.f.data() + 1;
    double* const to = level.other.data() + 1;
    loop(level.n, [=](int i) { to[i] = u[i] / 3 + (u[i - 1] + u[i + 1] + f[i]) / 3; });
    level.u.swap(level.other);
  }
  static void down(const Loops& loop, Level& fine, Level& coarse) {
    smooth(loop, fine);
    const double *u = fine.u.data() + 1, *f = fine.f.data() + 1;
    double *to = coarse.f.data() + 1, *start = coarse.u.data() + 1;
    loop(coarse.n, [=](int i) {
      const double* const here = u + 2 * i;
      to[i] = f[2 * i] + f[2 * i + 1] - (here[0] - here[-1] + here[1] - here[2]);
      start[i] = 0;
    });
  }
  static void up(const Loops& loop, const Level& coarse, Level& fine) {
    const double* const from = coarse.u.data() + 1;
    double* const u = fine.u.data() + 1;
    loop(fine.n,
         [=](int i) { u[i] += 0.75 * from[i / 2] + 0.25 * from[i % 2 == 0 ? i / 2 - 1 : i / 2 + 1]; });
    smooth(loop, fine);
  }

  int times_;
  std::vector<Level> levels_;
};

/// Bodies that move from cell to cell: the cost of a cell is the square of its number of bodies, and changes
/// with every step.
class Cells {
public:
  Cells(int cells, double work) : cells_(size_of(cells, work)), times_(times_of(130.0 * cells_, work)) {}
  void reset() {
    bodies_.clear();
    for (int k = 0; k < 6 * cells_; ++k) {
      const double u = uniform_of(static_cast<std::uint64_t>(k));
      // Most are near the start and move at their own pace.
      bodies_.push_back({u * u * cells_, 0.1 * uniform_of(static_cast<std::uint64_t>(k) + (1u << 20)), 0});
    }
    next_ = bodies_;
    start_.assign(static_cast<std::size_t>(cells_) + 1, 0);
  }
  void run(const Loops& loop) {
    for (int time = 0; time < times_; ++time) {
      sort();
      const int* const start = start_.data();
      Body* const bodies = bodies_.data();
      const double width = cells_;
      loop(cells_, [=](int cell) {
        for (int a = start[cell]; a < start[cell + 1]; ++a) {
          double pull = 0;
          for (int b = start[cell]; b < start[cell + 1]; ++b) {
            const double distance = bodies[b].place - bodies[a].place;
            pull += distance / (0.1 + distance * distance);
          }
          bodies[a].pull = pull;
        }
        for (int a = start[cell]; a < start[cell + 1]; ++a) {
          const double place = bodies[a].place + bodies[a].pace + 1e-4 * bodies[a].pull;
          bodies[a].place = place < 0 ? place + width : place >= width ? place - width : place;
        }
      });
    }
  }
  const Doubles& result() {
    places_.clear();
    for (const Body& body : bodies_) places_.push_back(body.place);
    return places_;
  }

private:
  struct Body {
    double place, pace, pull;
  };

  std::size_t cell_of(const Body& body) const {
    return static_cast<std::size_t>(std::min(cells_ - 1, static_cast<int>(body.place)));
  }
  /// Sorts by cells, and keeps the order within a cell.
  void sort() {
    std::fill(start_.begin(), start_.end(), 0);
    for (const Body& body : bodies_) ++start_[cell_of(body)];
    int sum = 0;
    for (int& start : start_) start = std::exchange(sum, sum + start);
    for (const Body& body : bodies_) next_[static_cast<std::size_t>(start_[cell_of(body)]++)] = body;
    for (std::size_t cell = start_.size() - 1; cell > 0; --cell) start_[cell] = start_[cell - 1];
    start_[0] = 0;
    bodies_.swap(next_);
  }

  int cells_, times_;
  std::vector<Body> bodies_, next_;
  std::vector<int> start_; ///< begin of the bodies of each cell, and the end of the last
  Doubles places_;
};

/// A dense matrix is factored with pivoting: in each step a row and a column less.
class PivotingLu {
public:
  PivotingLu(int side, double work)
      : side_(size_of(side, work)), times_(times_of(0.15 * side_ * side_ * side_, work)) {}
  void reset() { matrix_ = doubles(side_ * side_); }
  void run(const Loops& loop) {
    for (int time = 0; time < times_; ++time) {
      for (std::size_t k = 0; k < matrix_.size(); ++k)
        matrix_[k] = uniform_of(k + (static_cast<std::uint64_t>(time) << 32)) - 0.5;
      for (int k = 0; k + 1 < side_; ++k) eliminate(loop, k);
    }
  }
  const Doubles& result() const { return matrix_; }

private:
  double* row(int i) { return matrix_.data() + std::ptrdiff_t{i} * side_; }

  void eliminate(const Loops& loop, int k) {
    int pivot = k;
    for (int i = k + 1; i < side_; ++i)
      if (std::abs(row(i)[k]) > std::abs(row(pivot)[k])) pivot = i;
    if (pivot != k) std::swap_ranges(row(k), row(k) + side_, row(pivot));
    const int side = side_;
    const double* const upper = row(k);
    double* const rows = row(k + 1);
    loop(side_ - k - 1, [=](int i) {
      double* const lower = rows + std::ptrdiff_t{i} * side;
      const double factor = lower[k] /= upper[k];
      for (int j = k + 1; j < side; ++j) lower[j] -= factor * upper[j];
    });
  }

  int side_, times_;
  Doubles matrix_;
};

} // namespace

void add_short(Recipes& list, double work) {
  constexpr Group k_group = Group::brief;
  add_variations<Wavefront>(list, "WAVEFRONT", k_group, work, {700, 1000, 1400, 2000, 2800});
  add_variations<Groups>(list, "GROUPS", k_group, work, {500, 1000, 2000, 4000, 8000});
  add_variations<Frontier, Frontier::Size>(list, "FRONTIER", k_group, work,
                                           {{2500, 130}, {2000, 200}, {1600, 280}, {1200, 380}, {800, 500}});
  add_variations<RowByRow>(list, "ROWS", k_group, work, {400, 700, 1100, 1700, 2600});
  add_variations<Steps>(list, "STEPS", k_group, work, {1000, 2000, 4000, 8000, 16000});
  add_variations<Products>(list, "SPMV", k_group, work, {250, 500, 1000, 2000, 4000});
  add_variations<Multigrid>(list, "MULTIGRID", k_group, work, {12, 14, 16, 18, 20});
  add_variations<Cells>(list, "CELLS", k_group, work, {32, 64, 96, 128, 192});
  add_variations<PivotingLu>(list, "PIVOT_LU", k_group, work, {64, 96, 144, 216, 324});
}

} // namespace bench
