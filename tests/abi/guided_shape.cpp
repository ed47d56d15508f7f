// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: WSTREE_LOOPS=guided with OMP_SCHEDULE=wsguided gives guided's own shape: each chunk is as
// large as what is left by the number of threads, down to the chunk of the clause. To be run with both
// variables, or on the bare runtime of GCC, which has the same rule.
#include "check.h"
#include "omp_decls.h"

#include <atomic>
#include <sched.h>

namespace {

constexpr int k_n = 1000;
constexpr int k_members = 2;

/// Which member ran what. The member with the highest iteration so far waits for the other one to begin a
/// later one, or to find that there is none: so the two take turns, and a change of member is a new chunk.
class Turns {
public:
  void take(int i) {
    owners_[static_cast<std::size_t>(i)] = omp_get_thread_num();
    int highest = highest_;
    while (i > highest && !highest_.compare_exchange_weak(highest, i)) {
    }
    while (highest_ == i && !left_) sched_yield();
  }
  void leave() { left_ = true; }

  std::vector<int> sizes() const {
    std::vector<int> sizes{0};
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      if (i != 0 && owners_[i] != owners_[i - 1]) sizes.push_back(0);
      ++sizes.back();
    }
    return sizes;
  }

private:
  std::vector<int> owners_ = std::vector<int>(k_n, -1);
  std::atomic<int> highest_{-1};
  std::atomic<bool> left_{false};
};

/// `unit`: sizes are rounded up to multiples of it, up to the last chunk.
void must_decay(const Turns& turns, int unit) {
  int left = k_n;
  int last = k_n;
  for (const int size : turns.sizes()) {
    const int exact = left / k_members;
    if (size < left) {
      CHECK(size - exact < 2 * unit && exact - size < 2, "%d of %d that are left", size, left);
      CHECK(size >= unit, "%d, with a chunk of %d", size, unit);
    }
    CHECK(size <= last, "%d behind %d", size, last);
    left -= size;
    last = size;
  }
  CHECK(left == 0, "%d", left);
}

void without_a_chunk() {
  for (int round = 0; round < check::repeat(20, 500); ++round) {
    Turns turns;
#pragma omp parallel num_threads(k_members)
    {
#pragma omp for schedule(guided) nowait
      for (int i = 0; i < k_n; ++i) turns.take(i);
      turns.leave();
    }
    must_decay(turns, 1);
  }
}

void with_a_chunk() {
  for (int round = 0; round < check::repeat(20, 500); ++round) {
    Turns turns;
#pragma omp parallel num_threads(k_members)
    {
#pragma omp for schedule(guided, 7) nowait
      for (long i = 0; i < k_n; ++i) turns.take(static_cast<int>(i));
      turns.leave();
    }
    must_decay(turns, 7);
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv, {{"without_a_chunk", without_a_chunk}, {"with_a_chunk", with_a_chunk}});
}
