// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: taskloops with random bounds and clauses, alone, and nested in each other, in tasks and in members'
// own code. Each iteration is executed once, and variables hold what the clauses say. Right on a bare
// runtime, too.
#include "hits.h"
#include "omp_decls.h"
#include "taskloops.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

namespace {

using check::Hits;
using check::Random;

enum class Clause {
  none,
  grainsize,
  num_tasks,
  nogroup,
  undeferred,
  final,
  priority,
  untied,
  mergeable,
  simd,
  all
};
constexpr int k_clauses = static_cast<int>(Clause::all);

/// A loop over numbers lower, lower + step, ... of type T, n of them: `count` in units of the loop.
template <class T> struct Loop {
  T lower;
  T step; // positive
  bool up;
  int n;
  long clause_value;
  T past() const {
    return up ? static_cast<T>(lower + step * static_cast<T>(n))
              : static_cast<T>(lower - step * static_cast<T>(n));
  }
  int index(T i) const { return static_cast<int>(up ? (i - lower) / step : (lower - i) / step); }
};

/// The body of each loop: counts the iteration, adds to the sum and notes the value that is to be the last.
#define BODY                                                                                                 \
  {                                                                                                          \
    hits.touch(loop.index(i));                                                                               \
    CHECK(given == 41, "a firstprivate variable is %d", given);                                              \
    last = i;                                                                                                \
    __atomic_fetch_add(&sum, loop.index(i), __ATOMIC_RELAXED);                                               \
  }
#define PRAGMA_OF(...) _Pragma(#__VA_ARGS__)
#define PRAGMA(...) PRAGMA_OF(__VA_ARGS__)
#define LOOPS(name, clauses)                                                                                 \
  if (clause == Clause::name) {                                                                              \
    if (loop.up) {                                                                                           \
      PRAGMA(omp taskloop clauses SHARES) for (T i = loop.lower; i < past; i += step) BODY                   \
    } else {                                                                                                 \
      PRAGMA(omp taskloop clauses SHARES) for (T i = loop.lower; i > past; i -= step) BODY                   \
    }                                                                                                        \
  }
#define SHARES firstprivate(given) lastprivate(last) shared(hits, sum, loop)

template <class T> void execute(const Loop<T>& loop, Clause clause, Hits& hits) {
  const T past = loop.past(), step = loop.step;
  const long value = loop.clause_value;
  int given = 41;
  long sum = 0;
  T last = 77;
  LOOPS(none, )
  LOOPS(grainsize, grainsize(value))
  LOOPS(num_tasks, num_tasks(value))
  LOOPS(nogroup, nogroup)
  LOOPS(undeferred, if (false))
  LOOPS(final, final(true))
  LOOPS(priority, priority(3))
  LOOPS(untied, untied)
  LOOPS(mergeable, mergeable priority(1))
  if (clause == Clause::nogroup) {
#pragma omp taskwait
  }
  if (clause == Clause::simd) {
    // The bodies of simd loops have no calls.
    std::vector<unsigned char> counts(at(loop.n));
    unsigned char* const count = counts.data();
    const int n = loop.n;
#pragma omp taskloop simd lastprivate(last)
    for (int i = 0; i < n; ++i) {
      ++count[i];
      last = static_cast<T>(i);
    }
    for (int i = 0; i < n; ++i)
      for (unsigned char c = 0; c < count[i]; ++c) hits.touch(i);
    CHECK(n == 0 || last == static_cast<T>(n - 1), "lastprivate of a simd loop of %d", n);
    return;
  }
  char what[160];
  std::snprintf(what, sizeof what, "clause %d, value %ld, from %lld, %d times %c%lld, type of %zu bytes%s",
                static_cast<int>(clause), value, static_cast<long long>(loop.lower), loop.n,
                loop.up ? '+' : '-', static_cast<long long>(loop.step), sizeof(T),
                std::numeric_limits<T>::is_signed ? "" : ", unsigned");
  hits.must_be_one_each(what);
  CHECK(sum == static_cast<long>(loop.n) * (loop.n - 1) / 2, "sum %ld of %d iterations, clause %d", sum,
        loop.n, static_cast<int>(clause));
  const T wanted =
      loop.up ? static_cast<T>(loop.past() - loop.step) : static_cast<T>(loop.past() + loop.step);
  CHECK(loop.n == 0 || last == wanted, "lastprivate is iteration %d of %d, clause %d, value %ld",
        loop.index(last), loop.n, static_cast<int>(clause), value);
}

template <class T> Loop<T> random_loop(Random& random, int most) {
  Loop<T> loop{};
  loop.n = static_cast<int>(random.below(8) == 0 ? random.below(5) : random.below(at(most)));
  loop.step = static_cast<T>(1 + random.below(random.below(2) == 0 ? 1 : 9));
  loop.up = random.below(3) != 0;
  loop.clause_value = static_cast<long>(1 + random.below(random.below(3) == 0 ? 1000 : 70));
  loop.n = std::max(loop.n, k_fewest);
#ifndef __clang__
  // gcc does not extend the sign of the step of such loops, and libgomp executes one iteration at most.
  if (sizeof(T) < sizeof(long) && !std::numeric_limits<T>::is_signed) loop.up = true;
#endif
  const auto room = static_cast<T>(loop.step * static_cast<T>(loop.n + 1));
  const T highest = std::numeric_limits<T>::max(), lowest = std::numeric_limits<T>::min();
  switch (random.below(3)) {
  case 0: // at the end of the type
    loop.lower = loop.up ? static_cast<T>(highest - room) : static_cast<T>(lowest + room);
    break;
  case 1: // across half of it, or across zero
    loop.lower = static_cast<T>(T{0} - room / 2);
    if (std::numeric_limits<T>::min() == 0) loop.lower = static_cast<T>(highest / 2 - room / 2);
    break;
  default:
    loop.lower = loop.up ? T{0} : room;
  }
  return loop;
}

template <class T> void execute_random(Random& random, int most) {
  const Loop<T> loop = random_loop<T>(random, most);
  const auto clause = static_cast<Clause>(random.below(k_clauses));
  Hits hits(at(loop.n));
  execute(loop, clause, hits);
  if (clause == Clause::simd) hits.must_be_one_each("taskloop simd");
}
void execute_any(Random& random, int most) {
  constexpr void (*k_types[])(Random&, int) = {execute_random<int>, execute_random<unsigned>,
                                               execute_random<long>, execute_random<unsigned long>};
  k_types[random.below(4)](random, most);
}

/// Random loops, nested in each other, in tasks and in the members' own code.
void execute_program(Random random, int depth) {
  const int statements = static_cast<int>(1 + random.below(3));
  for (int s = 0; s < statements; ++s) {
    const std::uint64_t seed = random.next();
    switch (depth == 0 ? 0 : random.below(3)) {
    case 0:
      execute_any(random, depth == 2 ? k_n : 60);
      break;
    case 1: {
      const int n = std::max(static_cast<int>(random.below(12)), k_fewest);
      Hits hits(at(n));
#pragma omp taskloop shared(hits)
      for (int i = 0; i < n; ++i) {
        hits.touch(i);
        execute_program(Random(seed + at(i)), depth - 1);
      }
      hits.must_be_one_each("outer taskloop");
      break;
    }
    default:
      for (int t = 0; t < 3; ++t) {
#pragma omp task firstprivate(seed, t)
        execute_program(Random(seed + at(t)), depth - 1);
      }
#pragma omp taskwait
    }
  }
}

void random_programs() {
  for (int round = 0; round < check::repeat(300, 6000); ++round) {
    const Random random(check::settings.seed + at(round));
    const int members = 1 + round % 4;
    if (round % 5 == 4) { // each member has its own
#pragma omp parallel num_threads(members)
      {
        Random own = random;
        for (int m = 0; m < omp_get_thread_num(); ++m) own.next();
        execute_program(own, 1);
      }
    } else {
#pragma omp parallel num_threads(members)
#pragma omp single
      execute_program(random, 2);
    }
  }
}

void every_clause() {
  Random random(check::settings.seed);
  for (int round = 0; round < check::repeat(1000, 100000); ++round) {
#pragma omp parallel num_threads(2 + round % 3)
#pragma omp single
    execute_any(random, k_n);
  }
}

/// libomp calls the function of such a task again after each wait: it goes on where it was.
void untied_tasks_that_wait() {
  for (int round = 0; round < check::repeat(50, 500); ++round) {
    Hits hits(k_n), tasks(k_n);
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop untied grainsize(2) shared(hits, tasks)
    for (int i = 0; i < k_n; ++i) {
      hits.touch(i);
#pragma omp task shared(tasks) firstprivate(i)
      tasks.touch(i);
#pragma omp taskyield
#pragma omp taskwait
    }
    hits.must_be_one_each("loop of untied tasks");
    tasks.must_be_one_each("tasks in a loop of untied tasks");
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv, {CASE(every_clause), CASE(random_programs), CASE(untied_tasks_that_wait)});
}
