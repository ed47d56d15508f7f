// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of random programs, with real constructs of OpenMP.
#pragma once

#include "loop_programs.h"

#include <cstddef>
#include <type_traits>

namespace programs {

// The same loop upwards and downwards, with each clause. Dynamic loops are monotonic: libomp turns others
// into its static_steal, which gets lastprivate wrong and hangs now and then.
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define BOTH_WAYS(pragma, ...)                                                                               \
  if (statement.up) {                                                                                        \
    pragma for (T i = lower; i < end; i += step) { __VA_ARGS__ }                                             \
  } else {                                                                                                   \
    pragma for (T i = lower; i > end; i -= step) { __VA_ARGS__ }                                             \
  }                                                                                                          \
  break;
#define ALL_CLAUSES(more, ...)                                                                               \
  switch (statement.clause) {                                                                                \
  case Clause::runtime:                                                                                      \
    BOTH_WAYS(PRAGMA(omp for schedule(runtime) more), __VA_ARGS__)                                           \
  case Clause::monotonic_runtime:                                                                            \
    BOTH_WAYS(PRAGMA(omp for schedule(monotonic : runtime) more), __VA_ARGS__)                               \
  case Clause::dynamic:                                                                                      \
    BOTH_WAYS(PRAGMA(omp for schedule(monotonic : dynamic, chunk) more), __VA_ARGS__)                        \
  case Clause::guided:                                                                                       \
    BOTH_WAYS(PRAGMA(omp for schedule(guided, chunk) more), __VA_ARGS__)                                     \
  case Clause::static_:                                                                                      \
    BOTH_WAYS(PRAGMA(omp for schedule(static, chunk) more), __VA_ARGS__)                                     \
  case Clause::none:                                                                                         \
    BOTH_WAYS(PRAGMA(omp for more), __VA_ARGS__)                                                             \
  case Clause::ordered: /* see ordered_loop() */                                                             \
    break;                                                                                                   \
  }

// Signed also for unsigned T: gcc negates the step of a loop that goes down in the step's own type.
#define BOUNDS_OF(loop)                                                                                      \
  const T lower = static_cast<T>(loop.lower);                                                                \
  const auto step = static_cast<std::make_signed_t<T>>(loop.step);                                           \
  const auto whole = static_cast<T>(static_cast<long long>(loop.count) * loop.step);                         \
  const T end = static_cast<T>(loop.up ? lower + whole : lower - whole);                                     \
  const auto part = [&](T i) {                                                                               \
    return static_cast<std::size_t>((loop.up ? i - lower : lower - i) / static_cast<T>(step));               \
  };

/// Shared by all threads, as a lastprivate variable of orphaned loops has to be:
/// one region at a time uses it.
inline long long last_value = -1;

#define ORDERED_BODY                                                                                         \
  if (!statement.body.empty()) execution.inside(statement);                                                  \
  PRAGMA(omp ordered)                                                                                        \
  execution.touch(statement, part(i));

/// The runtime's, whatever the schedule is; each member keeps its order.
template <class T, class Execution> void ordered_loop(Execution& execution, const Statement& statement) {
  BOUNDS_OF(statement)
  do {
    if (statement.nowait) {
      BOTH_WAYS(PRAGMA(omp for ordered schedule(runtime) nowait), ORDERED_BODY)
    }
    BOTH_WAYS(PRAGMA(omp for ordered schedule(runtime)), ORDERED_BODY)
  } while (false);
}

template <class T, class Execution> void loop(Execution& execution, const Statement& statement) {
  BOUNDS_OF(statement)
  const int chunk = statement.chunk;
  if (statement.clause == Clause::ordered) {
    ordered_loop<T>(execution, statement);
  } else if (statement.nowait) {
    ALL_CLAUSES(nowait, execution.iterate(statement, part(i));)
  } else if (statement.cancel_at >= 0) {
    ALL_CLAUSES(, {
      if (part(i) == static_cast<std::size_t>(statement.cancel_at)) {
        _Pragma("omp cancel for")
      }
      execution.touch(statement, part(i));
      _Pragma("omp cancellation point for")
    })
  } else if (!statement.checks_last) {
    ALL_CLAUSES(, execution.iterate(statement, part(i));)
  } else {
    ALL_CLAUSES(lastprivate(last_value), last_value = static_cast<long long>(part(i));
                execution.iterate(statement, part(i));)
    if (statement.count > 0 && last_value != statement.count - 1) execution.report_last(statement);
#pragma omp barrier
  }
}

/// A region that is a loop.
template <class T, class Execution> void region(Execution& execution, const Statement& region) {
  const Statement& statement = region.body[0];
  BOUNDS_OF(statement)
  const auto count = static_cast<std::size_t>(statement.count);
  std::size_t last = count;
  if (statement.up) {
    PRAGMA(omp parallel for schedule(runtime) num_threads(region.threads) if (!region.serial) lastprivate(last))
    for (T i = lower; i < end; i += step) {
      last = part(i);
      execution.iterate(statement, last);
    }
  } else {
    PRAGMA(omp parallel for schedule(runtime) num_threads(region.threads) if (!region.serial) lastprivate(last))
    for (T i = lower; i > end; i -= step) {
      last = part(i);
      execution.iterate(statement, last);
    }
  }
  if (count != 0 && last != count - 1) execution.report_last(statement);
}

#define TASKLOOP(clauses, ...)                                                                               \
  if (statement.up) {                                                                                        \
    PRAGMA(omp taskloop clauses) for (T i = lower; i < end; i += step) { __VA_ARGS__ }                       \
  } else {                                                                                                   \
    PRAGMA(omp taskloop clauses) for (T i = lower; i > end; i -= step) { __VA_ARGS__ }                       \
  }
#define TASKLOOP_BODY                                                                                        \
  last = part(i);                                                                                            \
  execution.iterate(statement, last);

template <class T, class Execution> void taskloop(Execution& execution, const Statement& statement) {
  BOUNDS_OF(statement)
  const int value = statement.chunk;
  const auto count = static_cast<std::size_t>(statement.count);
  std::size_t last = count;
#ifndef __clang__ // which has no taskloops here
  if (statement.cancel_at >= 0) {
    const auto cancelled_by = static_cast<std::size_t>(statement.cancel_at);
    TASKLOOP(shared(execution, statement), {
      execution.touch(statement, part(i));
      if (part(i) == cancelled_by) {
        _Pragma("omp cancel taskgroup")
      }
    })
    return;
  }
#endif
  switch (statement.task_clause) {
  case TaskClause::none:
    TASKLOOP(lastprivate(last) shared(execution, statement), TASKLOOP_BODY)
    break;
  case TaskClause::grainsize:
    TASKLOOP(lastprivate(last) shared(execution, statement) grainsize(value), TASKLOOP_BODY)
    break;
  case TaskClause::num_tasks:
    TASKLOOP(lastprivate(last) shared(execution, statement) num_tasks(value), TASKLOOP_BODY)
    break;
  case TaskClause::nogroup: {
    std::size_t own = 0;
    TASKLOOP(firstprivate(own) shared(execution, statement) nogroup, {
      own = part(i);
      execution.iterate(statement, own);
    })
#pragma omp taskwait
    return;
  }
  case TaskClause::untied:
    TASKLOOP(lastprivate(last) shared(execution, statement) untied, TASKLOOP_BODY)
    break;
  case TaskClause::final_:
    TASKLOOP(lastprivate(last) shared(execution, statement) final(value > 2), TASKLOOP_BODY)
    break;
  case TaskClause::priority:
    TASKLOOP(lastprivate(last) shared(execution, statement) priority(value), TASKLOOP_BODY)
    break;
  }
  if (last != count - 1) execution.report_last(statement);
}

} // namespace programs
