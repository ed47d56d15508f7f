// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: what must keep an order and therefore must not be stolen: ordered loops, doacross loops (they look
// like plain runtime loops once their first call is over), and an explicit monotonic modifier. Each is mixed
// with served loops.
#include "hits.h"
#include "omp_decls.h"

#include <atomic>

namespace {

using check::Hits;
using check::HitsList;
using check::served;
using Size = unsigned long;

constexpr Size k_n = 400;
/// Not known to the compiler: gcc uses the entries with "ull" only for bounds that may need them.
Size limit = k_n;

/// Elements from `first` on in steps of `step`.
void must_count(const std::vector<long>& order, long first, long step, std::size_t size, const char* what) {
  CHECK(order.size() == size, "%s: %zu ordered blocks instead of %zu", what, order.size(), size);
  for (std::size_t k = 0; k < size; ++k)
    CHECK(order[k] == first + static_cast<long>(k) * step, "%s: position %zu holds %ld", what, k, order[k]);
}

void ordered_loops() {
  for (int round = 0; round < check::repeat(20, 300); ++round) {
    std::vector<long> some, down, dynamic;
    HitsList hits = check::hits_list(4, k_n);
#pragma omp parallel num_threads(1 + round % 5)
    {
      served(hits[0]);
#pragma omp for ordered schedule(runtime)
      for (int i = 0; i < static_cast<int>(k_n); ++i) {
        hits[1].touch(i);
        if (i % 4 == 1) { // an iteration may have no ordered block
#pragma omp ordered
          some.push_back(i);
        }
      }
      served(hits[2]);
#pragma omp for ordered schedule(runtime) nowait
      for (Size i = limit; i > 0; i -= 4) {
#pragma omp ordered
        down.push_back(static_cast<long>(i));
      }
#pragma omp for ordered schedule(dynamic, 4)
      for (long i = 0; i < static_cast<long>(limit); ++i) {
#pragma omp ordered
        dynamic.push_back(i);
      }
      served(hits[3]);
    }
    check::must_be_one_each(hits, "ordered loop, or a loop beside one");
    must_count(some, 1, 4, k_n / 4, "some iterations");
    must_count(down, k_n, -4, k_n / 4, "down");
    must_count(dynamic, 0, 1, k_n, "dynamic");
  }
}

template <class T> void doacross_loop(T end, int members) {
  std::vector<long> value(k_n, 1);
  HitsList around = check::hits_list(2, k_n);
#pragma omp parallel num_threads(members)
  {
    served(around[0]);
#pragma omp for ordered(1) schedule(runtime)
    for (T i = 1; i < end; ++i) {
      const auto at = static_cast<Size>(i);
#pragma omp ordered depend(sink : i - 1)
      value[at] = (value[at - 1] * 3 + static_cast<long>(i)) % 1'000'003;
#pragma omp ordered depend(source)
    }
    served(around[1]); // the tree is back at once
  }
  check::must_be_one_each(around, "loops around a doacross loop");
  long wanted = 1;
  for (Size i = 1; i < k_n; ++i) {
    wanted = (wanted * 3 + static_cast<long>(i)) % 1'000'003;
    CHECK(value[i] == wanted, "iteration %lu: %ld instead of %ld", i, value[i], wanted);
  }
}
void doacross_one_dimension() {
  for (int round = 0; round < check::repeat(20, 300); ++round) {
    doacross_loop<int>(static_cast<int>(limit), 1 + round % 4);
    doacross_loop<Size>(limit, 1 + round % 4);
  }
}

template <class T> void doacross_rows(T end, int members) {
  constexpr Size k_columns = 20;
  std::vector<long> paths(k_n, 1), wanted(k_n, 1);
#pragma omp parallel for ordered(2) schedule(runtime) num_threads(members)
  for (T i = 1; i < end; ++i)
    for (long j = 1; j < static_cast<long>(k_columns); ++j) {
      const Size at = static_cast<Size>(i) * k_columns + static_cast<Size>(j);
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      paths[at] = (paths[at - k_columns] + paths[at - 1]) % 1'000'003;
#pragma omp ordered depend(source)
    }
  for (Size at = k_columns; at < k_n; ++at)
    if (at % k_columns != 0) wanted[at] = (wanted[at - k_columns] + wanted[at - 1]) % 1'000'003;
  CHECK(paths == wanted, "the last is %ld instead of %ld", paths.back(), wanted.back());
}
void doacross_two_dimensions() {
  for (int round = 0; round < check::repeat(10, 100); ++round) {
    doacross_rows<int>(static_cast<int>(limit) / 20, 1 + round % 4);
    doacross_rows<Size>(limit / 20, 1 + round % 4);
  }
}

void monotonic_stays_monotonic() {
  for (int round = 0; round < check::repeat(20, 300); ++round) {
    HitsList hits = check::hits_list(5, k_n);
    std::atomic<int> backwards{0};
#pragma omp parallel num_threads(1 + round % 6)
    {
      long previous = -1;
      const auto touch = [&](Hits& each, long position) {
        if (position <= previous) ++backwards;
        previous = position;
        each.touch(position);
      };
      constexpr long k_end = k_n;
#pragma omp for schedule(monotonic : runtime) nowait
      for (int i = 0; i < static_cast<int>(k_n); ++i) touch(hits[0], i);
      served(hits[1]);
      previous = -1;
#pragma omp for schedule(monotonic : runtime)
      for (Size i = k_n; i > 0; --i) touch(hits[2], k_end - static_cast<long>(i));
      previous = -1;
#pragma omp for schedule(monotonic : dynamic, 3) nowait
      for (int i = 0; i < static_cast<int>(k_n); ++i) touch(hits[3], i);
      previous = -1;
#pragma omp for schedule(monotonic : guided) nowait
      for (Size i = limit; i > 0; --i) touch(hits[4], k_end - static_cast<long>(i));
    }
    CHECK(backwards == 0, "%d iterations came after a later one of the same thread", backwards.load());
    check::must_be_one_each(hits, "monotonic, or between monotonic loops");
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv,
                    {CASE(ordered_loops), CASE(doacross_one_dimension), CASE(doacross_two_dimensions),
                     CASE(monotonic_stays_monotonic)});
}
