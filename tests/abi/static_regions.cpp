// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: regions that are one static loop. The library may call their function again for each piece, and no
// program may notice: each iteration is executed once, and questions in bodies get the true answers.
#include "check.h"
#include "omp_decls.h"

#include <algorithm>
#include <cstddef>
#include <unistd.h>
#include <vector>

namespace {

constexpr int k_most = 20'000;
int times[k_most];
int number[k_most];
int count[k_most];
volatile double sink;

[[gnu::noinline]] void fill(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) ++times[i];
}
[[gnu::noinline]] void fill_down(long n) {
#pragma omp parallel for
  for (long i = n - 1; i >= 0; i -= 3) ++times[i];
}
[[gnu::noinline]] void fill_unsigned(unsigned long n) {
#pragma omp parallel for schedule(static)
  for (unsigned long i = 0; i < n; i += 3) ++times[i];
}
[[gnu::noinline]] void fill_square(int rows, int columns) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) ++times[i * columns + j];
}
[[gnu::noinline]] void fill_by(int n, int threads) {
#pragma omp parallel for num_threads(threads) if (n > 10)
  for (int i = 0; i < n; ++i) ++times[i];
}
[[gnu::noinline]] void ask(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    ++times[i];
    number[i] = omp_get_thread_num();
    count[i] = omp_get_num_threads();
  }
}
[[gnu::noinline]] long sum_of(int n) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += times[i];
  return sum;
}
[[gnu::noinline]] long sum_in_region(int n) {
  long sum = 0, most = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum) reduction(max : most)
    for (int i = 0; i < n; ++i) {
      sum += times[i];
      if (times[i] * i > most) most = times[i] * i;
    }
  }
  return most < n ? sum : -1;
}
[[gnu::noinline]] double sum_of_halves(int n) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += times[i] * 0.5;
  return sum;
}
[[gnu::noinline]] int last_of(int n, int first) {
  int last = -1;
#pragma omp parallel for lastprivate(last) firstprivate(first)
  for (int i = 0; i < n; ++i) {
    last = first + 7 * i;
    ++times[i];
  }
  return last;
}
[[gnu::noinline]] void compute(int n, int rounds) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double x = i;
    for (int k = 0; k < rounds; ++k) x = x * 0.5 + k;
    sink = x;
    ++times[i];
  }
}
[[gnu::noinline]] void nest(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    ++times[i];
    int inside = 0;
#pragma omp parallel for num_threads(2) reduction(+ : inside)
    for (int j = 0; j < 40; ++j) inside += 1;
    if (inside != 40) ++times[i];
  }
}
/// Each iteration waits for the next one, as threads that have one iteration each may.
[[gnu::noinline]] void wait_for_next(int n, int* flags, int round) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    while (__atomic_load_n(flags + i + 1, __ATOMIC_ACQUIRE) < round) usleep(10);
    __atomic_store_n(flags + i, round, __ATOMIC_RELEASE);
  }
}

/// Iterations first, first + step, ... below n are to be executed, each once.
template <class Region> void must_be_once(const char* what, int n, int step, int first, Region&& region) {
  std::fill(times, times + k_most, 0);
  region();
  for (int i = 0; i < k_most; ++i) {
    const int wanted = i >= first && i < n && (i - first) % step == 0;
    CHECK(times[i] == wanted, "%s: iteration %d of %d was executed %d times", what, i, n, times[i]);
  }
}
int some_length() {
  static check::Random random(check::settings.seed);
  const int members = omp_get_max_threads();
  const int chosen[] = {0, 1, members - 1, members, members + 1, 16, 127, 1000, k_most};
  const auto at = random.below(2 * std::size(chosen));
  return at < std::size(chosen) ? chosen[at] : static_cast<int>(random.below(k_most));
}

void every_iteration_once() {
  for (int round = 0; round < check::repeat(200, 3000); ++round) {
    const int n = some_length();
    must_be_once("up", n, 1, 0, [&] { fill(n); });
    must_be_once("down", n, 3, n > 0 ? (n - 1) % 3 : 0, [&] { fill_down(n); });
    must_be_once("unsigned", n, 3, 0, [&] { fill_unsigned(static_cast<unsigned long>(n)); });
    must_be_once("square", n / 13 * 13, 1, 0, [&] { fill_square(n / 13, 13); });
    must_be_once("of so many threads", n, 1, 0, [&] { fill_by(n, 1 + round % 5); });
  }
}
void values_behind_the_loop() {
  for (int round = 0; round < check::repeat(200, 3000); ++round) {
    const int n = some_length();
    int last = 0;
    must_be_once("lastprivate", n, 1, 0, [&] { last = last_of(n, round); });
    if (n > 0) CHECK(last == round + 7 * (n - 1), "the last value of %d is %d", n, last);
    CHECK(sum_of(k_most) == n, "the sum is %ld and not %d", sum_of(k_most), n);
    CHECK(sum_in_region(k_most) == n, "the sum in a region is %ld and not %d", sum_in_region(k_most), n);
    CHECK(sum_of_halves(k_most) == n * 0.5, "the sum is %g and not %g", sum_of_halves(k_most), n * 0.5);
  }
}
void true_answers() {
  const int members = omp_get_max_threads();
  for (int round = 0; round < check::repeat(100, 1000); ++round) {
    const int n = some_length();
    must_be_once("asking", n, 1, 0, [&] { ask(n); });
    for (int i = 0; i < n; ++i) {
      CHECK(count[i] == members, "iteration %d sees %d threads of %d", i, count[i], members);
      CHECK(number[i] >= 0 && number[i] < members, "iteration %d sees thread %d", i, number[i]);
    }
  }
}
/// Each member does its share's first iteration itself.
void members_begin_their_own_shares() {
  const int members = omp_get_max_threads();
  for (int round = 0; round < check::repeat(100, 1000); ++round) {
    ask(k_most);
    std::vector<int> had(static_cast<std::size_t>(members), 0);
    for (int i = 0; i < k_most; ++i) ++had[static_cast<std::size_t>(number[i])];
    for (int m = 0; m < members; ++m) {
      CHECK(had[static_cast<std::size_t>(m)] > 0, "thread %d of %d had no iteration", m, members);
      const int first = m * (k_most / members) + std::min(m, k_most % members);
      CHECK(number[first] == m, "thread %d had the first iteration of thread %d's share", number[first], m);
    }
  }
}
void brief_and_long_ones_alternate() {
  for (int round = 0; round < check::repeat(20, 200); ++round) {
    for (int i = 0; i < 20; ++i) must_be_once("brief", 1000, 1, 0, [&] { compute(1000, 1); });
    must_be_once("long", k_most, 1, 0, [&] { compute(k_most, 30); });
  }
}
void regions_inside() {
  for (int nested = 1; nested <= 2; ++nested) {
    omp_set_max_active_levels(nested);
    for (int round = 0; round < check::repeat(10, 100); ++round)
      must_be_once("with a region inside", 200, 1, 0, [&] { nest(200); });
  }
  omp_set_max_active_levels(1);
}
void one_iteration_each() {
  const int members = omp_get_max_threads();
  std::vector<int> flags(static_cast<std::size_t>(members) + 1, 0);
  for (int round = 1; round <= check::repeat(200, 3000); ++round) {
    flags.back() = round;
    wait_for_next(members, flags.data(), round);
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv,
                    {CASE(every_iteration_once), CASE(values_behind_the_loop), CASE(true_answers),
                     CASE(members_begin_their_own_shares), CASE(brief_and_long_ones_alternate),
                     CASE(regions_inside), CASE(one_iteration_each)});
}
