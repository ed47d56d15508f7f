// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: clauses whose code stands around the dispatch calls: reductions of all kinds (with tasks too),
// linear, private copies, copyin and threadprivate data, loops in functions called from several regions,
// literal schedules that must stay what they are.
#include "hits.h"
#include "omp_decls.h"

#include <atomic>
#include <set>

namespace {

using check::Hits;

constexpr int k_n = 1000;

struct Extremes {
  int low = 1 << 30, high = -(1 << 30);
};
#pragma omp declare reduction(widen:Extremes                                                                 \
                              : omp_out.low = omp_in.low < omp_out.low ? omp_in.low : omp_out.low,           \
                                omp_out.high = omp_in.high > omp_out.high ? omp_in.high : omp_out.high)

void reductions() {
  for (int round = 0; round < check::repeat(50, 1000); ++round) {
    long sum = 0, product = 1;
    int low = 1 << 30, high = -1, ands = -1, ors = 0, xors = 0;
    bool every = true, any = false;
    double real = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum, real) reduction(* : product) reduction(min : low)        \
    reduction(max : high) reduction(& : ands) reduction(| : ors) reduction(^ : xors) reduction(&& : every)             \
    reduction(|| : any)
    for (int i = 0; i < k_n; ++i) {
      sum += i;
      real += 0.5 * i;
      product *= i % 100 == 3 ? 2 : 1;
      low = std::min(low, (i * 37 + 11) % k_n);
      high = std::max(high, (i * 37 + 11) % k_n);
      ands &= ~(1 << i % 31);
      ors |= i;
      xors ^= i;
      every = every && i < k_n;
      any = any || i == 777;
      if (i % 16 == 0) check::spin(1000);
    }
    CHECK(sum == k_n * (k_n - 1) / 2 && real == 0.5 * static_cast<double>(sum), "%ld %f", sum, real);
    CHECK(product == 1024 && low == 0 && high == k_n - 1, "%ld %d %d", product, low, high);
    CHECK(ands == static_cast<int>(1u << 31) && ors == 1023 && xors == 0 && every && any, "%x %d %d %d %d",
          static_cast<unsigned>(ands), ors, xors, every, any);
  }
}

void reductions_of_arrays_and_classes() {
  for (int round = 0; round < check::repeat(50, 1000); ++round) {
    long histogram[16] = {};
    Extremes extremes;
#pragma omp parallel num_threads(1 + round % 5)
    {
#pragma omp for schedule(runtime) reduction(+ : histogram[:16]) nowait
      for (unsigned i = 0; i < k_n; ++i) ++histogram[i * 7 % 16];
#pragma omp for schedule(runtime) reduction(widen : extremes)
      for (int i = k_n; i > 0; --i) {
        extremes.low = std::min(extremes.low, i);
        extremes.high = std::max(extremes.high, i);
      }
    }
    for (unsigned i = 0; i < k_n; ++i) --histogram[i * 7 % 16];
    for (int k = 0; k < 16; ++k) CHECK(histogram[k] == 0, "class %d is off by %ld", k, histogram[k]);
    CHECK(extremes.low == 1 && extremes.high == k_n, "%d %d", extremes.low, extremes.high);
  }
}

void linear_variables() {
  for (int round = 0; round < check::repeat(50, 1000); ++round) {
    std::vector<long> seen(k_n, -1);
    long x = 5;
    int i = 0;
#pragma omp parallel for schedule(runtime) linear(x : 3)
    for (i = 0; i < k_n; ++i) {
      seen[static_cast<std::size_t>(i)] = x;
      x += 3;
    }
    for (long k = 0; k < k_n; ++k)
      CHECK(seen[static_cast<std::size_t>(k)] == 5 + 3 * k, "%ld at %ld", seen[static_cast<std::size_t>(k)],
            k);
    CHECK(x == 5 + 3 * k_n, "%ld", x);
  }
}

void literal_schedules_stay() {
  // static is laid out by the compiler; the order within a thread under monotonic dynamic is ascending
  // whatever the environment says about schedule(runtime).
  for (int round = 0; round < check::repeat(20, 200); ++round) {
    std::vector<int> owner(k_n, -1);
    Hits a(k_n), b(k_n), c(k_n);
    std::atomic<int> backwards{0};
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(static)
      for (int i = 0; i < k_n; ++i) owner[static_cast<std::size_t>(i)] = omp_get_thread_num();
      int previous = -1;
#pragma omp for schedule(monotonic : dynamic, 3)
      for (int i = 0; i < k_n; ++i) {
        if (i <= previous) ++backwards;
        previous = i;
        a.touch(static_cast<std::size_t>(i));
      }
#pragma omp for schedule(guided, 2) nowait
      for (int i = 0; i < k_n; ++i) b.touch(static_cast<std::size_t>(i));
#pragma omp for schedule(auto)
      for (int i = 0; i < k_n; ++i) c.touch(static_cast<std::size_t>(i));
    }
    // Where static loops balance themselves, their parts need not be equal.
    const char* const kinds = std::getenv("WSTREE_LOOPS");
    const bool is_equal = kinds == nullptr || std::strstr(kinds, "static") == nullptr;
    for (int i = 0; i < k_n && is_equal; ++i)
      CHECK(owner[static_cast<std::size_t>(i)] == i / (k_n / 4), "static iteration %d on %d", i,
            owner[static_cast<std::size_t>(i)]);
    CHECK(backwards == 0, "%d", backwards.load());
    a.must_be_one_each("dynamic");
    b.must_be_one_each("guided");
    c.must_be_one_each("auto");
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv,
                    {{"reductions", reductions},
                     {"reductions_of_arrays_and_classes", reductions_of_arrays_and_classes},
                     {"linear_variables", linear_variables},
                     {"literal_schedules_stay", literal_schedules_stay}});
}
