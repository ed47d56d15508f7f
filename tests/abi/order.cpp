// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: what must keep an order and therefore must not be stolen: ordered loops, doacross loops (they look
// like plain runtime loops once their first call is over), and an explicit monotonic modifier. Each is mixed
// with served loops.
#include "hits.h"
#include "omp_decls.h"

#include <array>
#include <atomic>
#include <sched.h>

namespace {

using check::Hits;

constexpr int k_n = 400;

void ordered_loops() {
  for (int round = 0; round < check::repeat(20, 300); ++round) {
    std::vector<int> order, second;
    Hits hits(k_n), around(k_n);
#pragma omp parallel num_threads(1 + round % 5)
    {
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < k_n; ++i) around.touch(static_cast<std::size_t>(i));
#pragma omp for ordered schedule(runtime)
      for (int i = 0; i < k_n; ++i) {
        hits.touch(static_cast<std::size_t>(i));
        if (i % 3 != 0) { // an iteration may have no ordered block
#pragma omp ordered
          order.push_back(i);
        }
      }
#pragma omp for ordered schedule(runtime) nowait
      for (long i = k_n; i > 0; i -= 7) {
#pragma omp ordered
        second.push_back(static_cast<int>(i));
      }
    }
    hits.must_be_one_each("ordered loop");
    around.must_be_one_each("loop in front of an ordered one");
    std::size_t at = 0;
    for (int i = 0; i < k_n; ++i)
      if (i % 3 != 0) {
        CHECK(at < order.size() && order[at] == i, "position %zu of %zu, wanted %d", at, order.size(), i);
        ++at;
      }
    CHECK(at == order.size(), "%zu ordered blocks instead of %zu", order.size(), at);
    for (std::size_t i = 0; i < second.size(); ++i)
      CHECK(second[i] == k_n - 7 * static_cast<int>(i), "position %zu holds %d", i, second[i]);
    CHECK(second.size() == (k_n + 6) / 7, "%zu", second.size());
  }
}

void doacross_one_dimension() {
  for (int round = 0; round < check::repeat(20, 300); ++round) {
    std::vector<long> value(k_n, 0);
    Hits around(k_n);
#pragma omp parallel num_threads(1 + round % 4)
    {
#pragma omp for ordered(1) schedule(runtime)
      for (int i = 0; i < k_n; ++i) {
#pragma omp ordered depend(sink : i - 1)
        value[static_cast<std::size_t>(i)] =
            i == 0 ? 1 : (value[static_cast<std::size_t>(i) - 1] * 3 + i) % 1'000'003;
#pragma omp ordered depend(source)
      }
#pragma omp for schedule(runtime)
      for (int i = 0; i < k_n; ++i) around.touch(static_cast<std::size_t>(i)); // the tree is back at once
    }
    around.must_be_one_each("loop behind a doacross loop");
    long wanted = 1;
    for (int i = 1; i < k_n; ++i) {
      wanted = (wanted * 3 + i) % 1'000'003;
      CHECK(value[static_cast<std::size_t>(i)] == wanted, "iteration %d: %ld instead of %ld", i,
            value[static_cast<std::size_t>(i)], wanted);
    }
  }
}

void doacross_two_dimensions() {
  constexpr int k_rows = 24, k_columns = 20;
  for (int round = 0; round < check::repeat(10, 100); ++round) {
    std::vector<long> paths(k_rows * k_columns, 1);
    const auto at = [&](int i, int j) -> long& { return paths[static_cast<std::size_t>(i * k_columns + j)]; };
#pragma omp parallel for ordered(2) schedule(runtime) num_threads(1 + round % 4)
    for (int i = 1; i < k_rows; ++i)
      for (int j = 1; j < k_columns; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
        at(i, j) = (at(i - 1, j) + at(i, j - 1)) % 1'000'003;
#pragma omp ordered depend(source)
      }
    std::vector<long> wanted(k_columns, 1);
    for (int i = 1; i < k_rows; ++i)
      for (int j = 1; j < k_columns; ++j) {
        wanted[static_cast<std::size_t>(j)] =
            (wanted[static_cast<std::size_t>(j)] + wanted[static_cast<std::size_t>(j) - 1]) % 1'000'003;
        CHECK(at(i, j) == wanted[static_cast<std::size_t>(j)], "%d %d: %ld", i, j, at(i, j));
      }
  }
}

void monotonic_stays_monotonic() {
  for (int round = 0; round < check::repeat(20, 300); ++round) {
    Hits hits(k_n), down(k_n), served(k_n);
    std::atomic<int> backwards{0};
#pragma omp parallel num_threads(1 + round % 6)
    {
      int previous = -1;
#pragma omp for schedule(monotonic : runtime) nowait
      for (int i = 0; i < k_n; ++i) {
        if (i <= previous) ++backwards;
        previous = i;
        hits.touch(static_cast<std::size_t>(i));
      }
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < k_n; ++i) served.touch(static_cast<std::size_t>(i));
      unsigned long before = k_n + 1;
#pragma omp for schedule(monotonic : runtime)
      for (unsigned long i = k_n; i > 0; --i) {
        if (i >= before) ++backwards;
        before = i;
        down.touch(i - 1);
      }
    }
    CHECK(backwards == 0, "%d iterations came after a later one of the same thread", backwards.load());
    hits.must_be_one_each("monotonic, up");
    down.must_be_one_each("monotonic, down");
    served.must_be_one_each("between two monotonic loops");
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  return check::run(argc, argv,
                    {{"ordered_loops", ordered_loops},
                     {"doacross_one_dimension", doacross_one_dimension},
                     {"doacross_two_dimensions", doacross_two_dimensions},
                     {"monotonic_stays_monotonic", monotonic_stays_monotonic}});
}
