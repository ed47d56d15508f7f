// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Short loops that have as many iterations as there are threads.
#include "short_loops.h"
#include "sparse_matrix.h"
#include <array>

namespace bench {
namespace {

/// Code that cuts each of its arrays into one block for each thread: as many iterations as threads, at one
/// place for all levels of a grid, whose blocks stay with their threads.
class Blocks {
public:
  Blocks(int size, double work) : size_(size_of(size, work)), times_(times_of(2.5 * 2 * size_, work)) {}
  void reset() {
    for (std::size_t level = 0; level < k_levels; ++level) {
      from_[level] = some_vector(size(level) + 1);
      to_[level] = from_[level];
    }
  }
  void run(const Loops& loop) {
    for (int time = 0; time < times_; ++time)
      for (std::size_t level = 0; level < k_levels; ++level) sweep(loop, level);
  }
  const Doubles& result() {
    all_.clear();
    for (const Doubles& level : from_) all_.insert(all_.end(), level.begin(), level.end());
    return all_;
  }

private:
  static constexpr std::size_t k_levels = 6;

  int size(std::size_t level) const { return std::max(1, size_ >> level); }
  void sweep(const Loops& loop, std::size_t level) {
    const int cells = size(level), blocks = loop.threads();
    const double* const from = from_[level].data();
    double* const to = to_[level].data();
    loop(blocks, [=](int block) {
      const int first = static_cast<int>(std::int64_t{cells} * block / blocks);
      const int past = static_cast<int>(std::int64_t{cells} * (block + 1) / blocks);
      for (int i = first; i < past; ++i) {
        const double slope = from[i + 1] - from[i];
        to[i] = from[i] + 0.01 * slope / (1 + slope * slope);
      }
    });
    from_[level].swap(to_[level]);
  }

  int size_, times_;
  std::array<Doubles, k_levels> from_, to_;
  Doubles all_;
};

} // namespace

void add_blocks(Recipes& list, double work) {
  add_variations<Blocks>(list, "BLOCKS", Group::brief, work, {500, 1000, 2000, 4000, 8000});
}

} // namespace bench
