// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: taskloops. Objects, reductions, and every place where one may stand: each iteration is executed
// once, and variables hold what the clauses say (taskloop_clauses.cpp has more of them). Right on a bare
// runtime, too. The cases about cancellation need OMP_CANCELLATION=true; the others want it off, as loops
// that nothing waits for are served only then.
#include "taskloops.h"
#include "hits.h"
#include "omp_decls.h"

#include <algorithm>
#include <atomic>
#include <sched.h>

namespace {

using check::Hits;

/// Copies of it, and what became of them.
class Copied {
public:
  explicit Copied(int value = 0) : value_(value) { ++g_there; }
  Copied(const Copied& other) : value_(other.value()) {
    ++g_there;
    ++g_copies;
  }
  ~Copied() {
    CHECK(value_ != k_dead, "a copy is destroyed twice");
    value_ = k_dead;
    --g_there;
  }
  Copied& operator=(const Copied& other) {
    value_ = other.value();
    return *this;
  }
  int value() const {
    CHECK(value_ != k_dead, "a copy is used after its end");
    return value_;
  }
  void set(int value) { value_ = value; }

  static std::atomic<int> g_there, g_copies;

private:
  static constexpr int k_dead = -12345;
  int value_;
};
std::atomic<int> Copied::g_there{0}, Copied::g_copies{0};

void copies_of_objects() {
  for (int round = 0; round < check::repeat(200, 3000); ++round) {
    const int n = 1 + round % 200;
    Hits hits(at(n)), more(at(n));
    {
      Copied first(round), last(-1), both(5);
#pragma omp parallel num_threads(4) shared(last, both)
#pragma omp single
      {
#pragma omp taskloop firstprivate(first) lastprivate(last) shared(hits)
        for (int i = 0; i < n; ++i) {
          CHECK(first.value() == round, "a firstprivate object has the value %d", first.value());
          last.set(i);
          hits.touch(i);
        }
        CHECK(last.value() == n - 1, "a lastprivate object has the value %d of %d", last.value(), n);
#ifndef __clang__ // whose code loses the value, on a bare libomp too
#pragma omp taskloop firstprivate(both) lastprivate(both) shared(more)
        for (int i = 0; i < n; ++i) {
          if (i == n - 1) both.set(both.value() >= 0 ? i : -2);
          more.touch(i);
        }
        CHECK(both.value() == n - 1, "a firstprivate and lastprivate object has the value %d of %d",
              both.value(), n);
        more.must_be_one_each("loop with an object that comes and goes");
#endif
      }
      CHECK(Copied::g_there == 3, "%d objects are there", Copied::g_there.load());
    }
    CHECK(Copied::g_there == 0, "%d objects are there at the end", Copied::g_there.load());
    hits.must_be_one_each("loop with objects");
  }
}

void reductions() {
  for (int round = 0; round < check::repeat(200, 3000); ++round) {
    long sum = 3, in = 0;
    unsigned bits = 0;
    const int n = 1 + round * 7 % 900;
#pragma omp parallel num_threads(2 + round % 3)
#pragma omp single
    {
#pragma omp taskloop reduction(+ : sum) reduction(| : bits)
      for (int i = 0; i < n; ++i) {
        sum += i;
        bits |= 1U << i % 32;
      }
#pragma omp taskgroup task_reduction(+ : in)
      {
#pragma omp taskloop in_reduction(+ : in)
        for (int i = 0; i < n; ++i) in += i;
#pragma omp taskloop in_reduction(+ : in) nogroup
        for (int i = 0; i < n; ++i) in += 2;
      }
    }
    CHECK(sum == 3 + static_cast<long>(n) * (n - 1) / 2, "sum %ld of %d", sum, n);
    CHECK(in == static_cast<long>(n) * (n - 1) / 2 + 2L * n, "in_reduction %ld of %d", in, n);
    CHECK(bits == (n >= 32 ? ~0U : (1U << n) - 1), "bits %x of %d", bits, n);
  }
}

void combined_with_a_region() {
  for (int round = 0; round < check::repeat(100, 1000); ++round) {
    Hits hits(k_n), inner(k_n);
#pragma omp parallel master taskloop num_threads(4) shared(hits)
    for (int i = 0; i < k_n; ++i) hits.touch(i);
    hits.must_be_one_each("parallel master taskloop");
    // Inside a worksharing loop that the library may serve, too.
#pragma omp parallel for num_threads(3) schedule(runtime)
    for (int k = 0; k < 7; ++k) {
#pragma omp taskloop
      for (int i = k; i < k_n; i += 7) inner.touch(i);
    }
    inner.must_be_one_each("taskloops inside a worksharing loop");
  }
}

/// The function of a loop that nothing waits for has returned before its tasks begin.
[[gnu::noinline]] void start_and_return(int n, Hits& hits) {
  int offset = 0;
  Hits* const counts = &hits;
#pragma omp taskloop nogroup firstprivate(offset, counts)
  for (int i = 0; i < n; ++i) counts->touch(i + offset);
}
void loops_that_nothing_waits_for() {
  for (int round = 0; round < check::repeat(300, 3000); ++round) {
    Hits first(k_n), second(k_n);
#pragma omp parallel num_threads(2 + round % 3)
    {
#pragma omp single nowait
      {
        start_and_return(k_n, first);
        start_and_return(k_n, second);
      }
    }
    first.must_be_one_each("loop that nothing waits for");
    second.must_be_one_each("second loop that nothing waits for");
  }
}

/// A thread that waits inside an iteration may take other tasks, of the same loop too.
void tasks_and_waits_inside() {
  for (int round = 0; round < check::repeat(50, 500); ++round) {
    Hits hits(k_n), tasks(k_n);
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop shared(hits, tasks)
    for (int i = 0; i < k_n; ++i) {
      const int before = omp_get_thread_num();
      hits.touch(i);
      int done = 0;
#pragma omp task shared(tasks, done) firstprivate(i)
      {
        tasks.touch(i);
        done = 1;
      }
      if (i % 2 == 0) {
#pragma omp taskyield
      }
#pragma omp taskwait
      CHECK(done == 1, "the task of iteration %d is not done", i);
      CHECK(before == omp_get_thread_num(), "iteration %d goes on in another thread", i);
    }
    hits.must_be_one_each("loop with tasks");
    tasks.must_be_one_each("tasks in a loop");
  }
}

/// All others are busy until the loop is over.
void no_member_helps() {
  for (int round = 0; round < check::repeat(20, 200); ++round) {
    Hits hits(k_n);
    std::atomic<bool> over{false};
#pragma omp parallel num_threads(4) shared(over)
    {
      if (omp_get_thread_num() == 0) {
#pragma omp taskloop shared(hits)
        for (int i = 0; i < k_n; ++i) hits.touch(i);
        hits.must_be_one_each("loop without help");
        over = true;
      } else {
        while (!over) sched_yield();
      }
    }
  }
}

/// With so many tasks about, libgomp executes further ones at once.
void among_many_tasks() {
  for (int round = 0; round < check::repeat(20, 200); ++round) {
    Hits hits(k_n), tasks(3000);
#pragma omp parallel num_threads(4)
#pragma omp single
    {
      for (int t = 0; t < 3000; ++t) {
#pragma omp task shared(tasks) firstprivate(t)
        tasks.touch(t);
      }
#pragma omp taskloop shared(hits)
      for (int i = 0; i < k_n; ++i) hits.touch(i);
      hits.must_be_one_each("loop among many tasks");
    }
    tasks.must_be_one_each("tasks");
  }
}

void outside_of_regions() {
  Hits hits(k_n), alone(k_n);
#pragma omp taskloop shared(hits)
  for (int i = 0; i < k_n; ++i) hits.touch(i);
  hits.must_be_one_each("loop outside of regions");
#pragma omp parallel num_threads(1)
#pragma omp taskloop shared(alone)
  for (int i = 0; i < k_n; ++i) alone.touch(i);
  alone.must_be_one_each("loop of a team of one");
}

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
/// `strict` is kept to the letter: no task has more than its iterations.
void strict_clauses() {
  for (int round = 0; round < check::repeat(100, 1000); ++round) {
    Hits hits(k_n);
    const int size = 1 + round % 19;
    int own = 0;
    std::atomic<int> tasks{0};
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop grainsize(strict : size) firstprivate(own) shared(hits, tasks)
    for (int i = 0; i < k_n; ++i) {
      if (own++ == 0) {
        ++tasks;
        CHECK(i % size == 0, "a task begins at %d, size %d", i, size);
      }
      hits.touch(i);
    }
    hits.must_be_one_each("strict loop");
    CHECK(tasks == (k_n + size - 1) / size, "%d tasks of size %d", tasks.load(), size);
  }
}
#endif

void cancelled_loops() {
  if (!omp_get_cancellation()) return;
  for (int round = 0; round < check::repeat(300, 3000); ++round) {
    Hits cut(k_n), whole(k_n);
    const int where = round * 31 % k_n;
    long sum = 0;
#pragma omp parallel num_threads(2 + round % 3)
#pragma omp single
    {
#pragma omp taskloop shared(cut)
      for (int i = 0; i < k_n; ++i) {
        cut.touch(i);
        if (i == where) {
#pragma omp cancel taskgroup
        }
      }
#pragma omp taskloop shared(whole) reduction(+ : sum)
      for (int i = 0; i < k_n; ++i) {
        whole.touch(i);
        sum += i;
      }
    }
    for (int i = 0; i < k_n; ++i) CHECK(cut[at(i)] <= 1, "iteration %d ran %u times", i, cut[at(i)]);
    CHECK(cut[at(where)] == 1, "the iteration that cancelled, %d, did not run", where);
    whole.must_be_one_each("loop behind a cancelled one");
    CHECK(sum == static_cast<long>(k_n) * (k_n - 1) / 2, "sum %ld behind a cancelled loop", sum);
  }
}

/// After the cancellation no thread takes more than it has. (libomp hangs if such a loop has many tasks.)
void cancelled_loops_end() {
  if (!omp_get_cancellation()) return;
  for (int round = 0; round < check::repeat(50, 500); ++round) {
    std::atomic<long> executed{0};
    constexpr long k_many = 100'000'000; // at 10 us each, they would take a quarter of an hour
#pragma omp parallel num_threads(4)
#pragma omp single
#ifdef __clang__
#pragma omp taskloop shared(executed) num_tasks(30)
#else
#pragma omp taskloop shared(executed) // the library serves loops without the clause
#endif
    for (long i = 0; i < k_many; ++i) {
      if (++executed == 20) {
#pragma omp cancel taskgroup
      }
      check::spin(10'000);
#pragma omp cancellation point taskgroup
    }
    CHECK(executed < 10'000, "%ld iterations", executed.load());
  }
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  return check::run(argc, argv, {
    CASE(copies_of_objects), CASE(reductions), CASE(combined_with_a_region),
        CASE(loops_that_nothing_waits_for), CASE(tasks_and_waits_inside), CASE(no_member_helps),
        CASE(among_many_tasks), CASE(outside_of_regions),
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
        CASE(strict_clauses),
#endif
        CASE(cancelled_loops), CASE(cancelled_loops_end)
  });
}
