// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// More programs of short loops. They show whether the changes that make the other patterns fast are good for
/// more than those: nothing in the library may be tuned by these programs.
#include "short_loops.h"
#include <array>

namespace bench {
namespace {

/// A sorting network: stages of comparisons, as many in each, whose partners lie near or far.
class Bitonic {
public:
  Bitonic(int bits, double work)
      : size_(1 << (is_test(work) ? std::min(bits, 6) : bits)),
        times_(times_of(1.0 * size_ * bits * bits, work)) {}
  void reset() { values_ = doubles(size_); }
  void run(const Loops& loop) {
    for (int time = 0; time < times_; ++time) {
      for (std::size_t k = 0; k < values_.size(); ++k)
        values_[k] = uniform_of(k + static_cast<unsigned>(time));
      for (int span = 2; span <= size_; span *= 2)
        for (int distance = span / 2; distance > 0; distance /= 2) {
          double* const values = values_.data();
          loop(size_ / 2, [=](int k) {
            const int i = (k & ~(distance - 1)) * 2 + (k & (distance - 1));
            double &low = values[i], &high = values[i + distance];
            if ((low > high) == ((i & span) == 0)) std::swap(low, high);
          });
        }
    }
  }
  const Doubles& result() const { return values_; }

private:
  int size_, times_;
  Doubles values_;
};

/// Sweeps over a small grid, first its red points and then its black ones; an iteration is a row.
class RedBlack {
public:
  RedBlack(int side, double work) : side_(size_of(side, work)), times_(times_of(2.0 * side_ * side_, work)) {}
  void reset() { grid_ = some_grid(); }
  void run(const Loops& loop) {
    const int side = side_, width = side_ + 2;
    double* const grid = grid_.data();
    for (int time = 0; time < times_; ++time)
      for (const int colour : {0, 1})
        loop(side, [=](int i) {
          double* const row = grid + std::ptrdiff_t{i + 1} * width + 1;
          for (int j = (i + colour) % 2; j < side; j += 2)
            row[j] += 0.3 * (row[j - 1] + row[j + 1] + row[j - width] + row[j + width] - 4 * row[j]);
        });
  }
  const Doubles& result() const { return grid_; }

private:
  Doubles some_grid() const {
    Doubles made = doubles((side_ + 2) * (side_ + 2));
    for (std::size_t k = 0; k < made.size(); ++k) made[k] = uniform_of(k);
    return made;
  }

  int side_, times_;
  Doubles grid_;
};

/// Smith-Waterman: how well parts of two texts agree, by anti-diagonals; texts of different lengths.
class Alignment {
public:
  Alignment(int length, double work)
      : length_(size_of(length, work)), other_(2 * length_), times_(times_of(4.0 * length_ * length_, work)) {
  }
  void reset() {
    for (Doubles& diagonal : diagonals_) diagonal = doubles(length_ + 1);
    best_ = doubles(length_);
  }
  void run(const Loops& loop) {
    for (int time = 0; time < times_; ++time)
      for (int d = 0; d < length_ + other_ - 1; ++d) {
        const int first = std::max(0, d - other_ + 1), last = std::min(d, length_ - 1);
        const double *before = at(d + 1), *two_before = at(d);
        double *now = at(d + 2), *best = best_.data();
        loop(last - first + 1, [=](int k) {
          const int i = first + k, j = d - i;
          const bool same = letter(i) == letter(j + 1000);
          const double score =
              std::max({0.0, two_before[i] + (same ? 2.0 : -1.0), before[i] - 1, before[i + 1] - 1});
          now[i + 1] = score;
          best[i] += score;
        });
      }
  }
  const Doubles& result() const { return best_; }

private:
  static std::uint64_t letter(int place) { return one_unit(static_cast<std::uint64_t>(place)) >> 62; }
  double* at(int diagonal) { return diagonals_[static_cast<std::size_t>(diagonal % 3)].data(); }

  int length_, other_, times_;
  std::array<Doubles, 3> diagonals_;
  Doubles best_;
};

/// k-means with few points: each looks for the nearest centre, then one thread moves the centres.
class Means {
public:
  Means(int points, double work) : points_(size_of(points, work)), times_(times_of(20.0 * points_, work)) {}
  void reset() {
    x_ = doubles(points_);
    y_ = x_;
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = uniform_of(2 * k), y_[k] = uniform_of(2 * k + 1);
    for (std::size_t c = 0; c < k_centres; ++c) centres_[c] = {x_[c % x_.size()], y_[c % x_.size()]};
    nearest_.assign(x_.size(), 0);
  }
  void run(const Loops& loop) {
    for (int time = 0; time < times_; ++time) {
      const double *x = x_.data(), *y = y_.data();
      int* const nearest = nearest_.data();
      const auto centres = centres_;
      loop(points_, [=](int i) {
        double least = 1e9;
        for (std::size_t c = 0; c < k_centres; ++c) {
          const double dx = x[i] - centres[c].x, dy = y[i] - centres[c].y, square = dx * dx + dy * dy;
          if (square < least) least = square, nearest[i] = static_cast<int>(c);
        }
      });
      move();
    }
  }
  Doubles result() const {
    Doubles all;
    for (const Centre& centre : centres_) all.insert(all.end(), {centre.x, centre.y});
    return all;
  }

private:
  struct Centre {
    double x, y;
  };
  static constexpr std::size_t k_centres = 12;

  void move() {
    std::array<Centre, k_centres> sums{};
    std::array<int, k_centres> counts{};
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const auto c = static_cast<std::size_t>(nearest_[i]);
      sums[c].x += x_[i], sums[c].y += y_[i], ++counts[c];
    }
    // Half of the way, so that they are still moving after many rounds.
    for (std::size_t c = 0; c < k_centres; ++c)
      if (counts[c] > 0)
        centres_[c] = {(centres_[c].x + sums[c].x / counts[c]) / 2,
                       (centres_[c].y + sums[c].y / counts[c]) / 2};
  }

  int points_, times_;
  Doubles x_, y_;
  std::array<Centre, k_centres> centres_{};
  std::vector<int> nearest_;
};

/// A sparse triangular system is solved by levels: the rows of one need those of earlier ones alone. Levels
/// and rows are of very different lengths.
class TriangularSolve {
public:
  TriangularSolve(int rows, double work) : rows_(size_of(rows, work)), times_(times_of(15.0 * rows_, work)) {
    for (int row = 0; row < rows_;) {
      levels_.push_back(row);
      const double u = uniform_of(static_cast<std::uint64_t>(row));
      row += 1 + static_cast<int>(u * u * rows_ / 8);
    }
    levels_.push_back(rows_);
  }
  void reset() { solution_ = doubles(rows_, 1); }
  void run(const Loops& loop) {
    double* const solution = solution_.data();
    for (int time = 0; time < times_; ++time)
      for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
        const int first = levels_[level], n = std::min(levels_[level + 1], rows_) - first;
        loop(n, [=](int k) {
          const auto row = static_cast<std::uint64_t>(first + k);
          double sum = solution[row] + 1e-3;
          if (first > 0)
            for (std::uint64_t entry = 1 + one_unit(row) % 16; entry > 0; --entry)
              sum -= 0.01 * solution[(one_unit(row * 16 + entry) >> 32) * static_cast<unsigned>(first) >> 32];
          solution[row] = sum / 1.05;
        });
      }
  }
  const Doubles& result() const { return solution_; }

private:
  int rows_, times_;
  std::vector<int> levels_; ///< first row of each, and the end of the last
  Doubles solution_;
};

} // namespace

void add_untuned(Recipes& list, double work) {
  constexpr Group k_group = Group::untuned;
  add_variations<Bitonic>(list, "BITONIC", k_group, work, {8, 9, 10, 11, 12});
  add_variations<RedBlack>(list, "RED_BLACK", k_group, work, {32, 48, 64, 96, 128});
  add_variations<Alignment>(list, "ALIGNMENT", k_group, work, {400, 600, 900, 1300, 1800});
  add_variations<Means>(list, "KMEANS", k_group, work, {100, 200, 400, 800, 1600});
  add_variations<TriangularSolve>(list, "TRISOLVE", k_group, work, {1500, 3000, 6000, 12'000, 24'000});
}

} // namespace bench
