// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Short even loops whose number of iterations is never the same.
#include "short_loops.h"
#include <cmath>

namespace bench {
namespace {

/// Three loops in a row, each at a place of its own, whose number of iterations is another one each time,
/// from a 16th of the longest to that.
class ThreePlaces {
public:
  ThreePlaces(int longest, double work)
      : longest_(size_of(longest, work)), times_(times_of(1.5 * 3 * longest_ / 2, work)) {}
  void reset() {
    from_ = some_vector(longest_);
    to_ = between_ = from_;
  }
  void run(const Loops& loop) {
    double *a = from_.data(), *b = between_.data(), *c = to_.data();
    const int least = std::max(1, longest_ / 16);
    for (int time = 0; time < times_; ++time) {
      const int n =
          least + static_cast<int>(uniform_of(static_cast<std::uint64_t>(time)) * (longest_ - least));
      loop(n, [=](int i) { c[i] = a[i] * b[i] + 0.1 * std::sqrt(std::abs(c[i]) + 1); });
      loop(n, [=](int i) { b[i] = 0.5 * b[i] + 0.25 * c[i] / (1 + a[i] * a[i]); });
      loop(n, [=](int i) { a[i] = 0.9 * a[i] + 0.05 * b[i] - 0.01 * c[i]; });
    }
  }
  const Doubles& result() const { return from_; }

private:
  int longest_, times_;
  Doubles from_, between_, to_;
};

} // namespace

void add_three_places(Recipes& list, double work) {
  add_variations<ThreePlaces>(list, "THREE_PLACES", Group::brief, work, {1000, 2000, 4000, 8000, 16000});
}

} // namespace bench
