// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of schedules: one row for each kind that OMP_SCHEDULE may name. All lists of kinds in code but
// those of wstree.h, wstree.f90 and the colours of charts follow from it, in its order: the enums, the parser
// and its messages, the texts that users read, the worker that a loop is given, and the tests that try every
// kind. A row's number also travels to children (marked_schedule.h) and counts from omp_sched_wstree
// (wstree.h), so a new row comes last.
//
// A row has the model, the word, the text for users, the worker for a Platform P, and before these two
// whether each thread gets its batches in ascending order ("monotonic:"), because no thread takes from
// another. (tests/kinds.cmake reads the words.)
#pragma once

#include <cstddef>
#include <cstdint>

#define WSTREE_KINDS(WSTREE_KIND)                                                                            \
  WSTREE_KIND(tree, wstree, false, "threads share the loop in a tree and steal from each other",             \
              TreeWorker<P>)                                                                                 \
  WSTREE_KIND(range, wsrange, false, "each thread has a range, and others can steal its last quarter",       \
              RangeWorker<P>)                                                                                \
  WSTREE_KIND(queue, wsqueue, false, "each thread has a lock-free deque of ranges",                          \
              QueueWorker<P, LockFreeQueue>)                                                                 \
  WSTREE_KIND(queue_lock, wsqueue_lock, false, "the same, with a lock where threads meet",                   \
              QueueWorker<P, LockedQueue>)                                                                   \
  WSTREE_KIND(fixed, wsfixed, true, "in order, batches of chunk iterations",                                 \
              SelfSchedulingWorker<P, FixedRule>)                                                            \
  WSTREE_KIND(guided, wsguided, true, "in order, batches that get smaller, each a part of what is left",     \
              SelfSchedulingWorker<P, GuidedRule>)                                                           \
  WSTREE_KIND(factoring, wsfac2, true, "in order, batches that get smaller from round to round",             \
              SelfSchedulingWorker<P, FactoringRule>)                                                        \
  WSTREE_KIND(trapezoid, wstrapezoid, true, "in order, batches that get smaller by a constant",              \
              SelfSchedulingWorker<P, TrapezoidRule>)                                                        \
  WSTREE_KIND(static_, wsstatic, true, "in order, the shares of schedule(static)", StaticWorker<P>)

namespace wstree::core {

/// The models of sharing a loop, each chosen by a kind of OMP_SCHEDULE.
enum class Model : std::uint8_t {
#define WSTREE_MODEL(model, ...) model,
  WSTREE_KINDS(WSTREE_MODEL)
#undef WSTREE_MODEL
};
#define WSTREE_ONE(...) +1
inline constexpr std::size_t k_model_count = WSTREE_KINDS(WSTREE_ONE);
#undef WSTREE_ONE

} // namespace wstree::core
