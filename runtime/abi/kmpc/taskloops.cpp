// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The taskloops of the kmpc interface.
//
// The program allocates a task as a pattern, and __kmpc_taskloop copies it for each piece, with the bounds of
// the piece in it. So a loop that we serve goes to the runtime as a loop over the addresses of its parts,
// with a function of ours in the pattern: each copy finds its own part where its bounds are. Then it writes
// the bounds of each batch that it gets from the tree, and calls the program's function.
#include "canonical_loop.h"
#include "export.h"
#include "kmpc/types.h"
#include "process/request.h"
#include "resolve/runtime.h"
#include "task_loops.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace {

using namespace wstree;
using namespace wstree::abi;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

struct Task;
using Routine = i32 (*)(i32 gtid, Task* task);

/// A task as clang lays it out for taskloops.
struct Task {
  void* shareds;
  Routine routine;
  i32 part;
  void* destructors;
  void* priority;
  u64 lower;
  u64 upper; // inclusive
  i64 step;
  i32 last; // the piece has the last iteration
  void* reductions;
};
static_assert(offsetof(Task, lower) == 40 && offsetof(Task, last) == 64);

// Flags of __kmpc_omp_task_alloc.
constexpr i32 k_tied = 1 << 0;
constexpr i32 k_mergeable = 1 << 2;
constexpr i32 k_has_destructors = 1 << 3;
constexpr i32 k_has_priority = 1 << 5;
constexpr i32 k_served = k_tied | k_mergeable | k_has_destructors | k_has_priority;

// The argument `form` of __kmpc_taskloop.
constexpr i32 k_no_clause = 0; // 1: grainsize()
constexpr i32 k_num_tasks = 2;

constinit Real<Task*(ident_t*, i32, i32, std::size_t, std::size_t, Routine)> g_alloc{"__kmpc_omp_task_alloc"};
constinit Real<void(ident_t*, i32, Task*, i32, u64*, u64*, i64, i32, i32, u64, void*)> g_taskloop{
    "__kmpc_taskloop"};
constinit Real<void(ident_t*, i32, Task*, i32, u64*, u64*, i64, i32, i32, u64, i32, void*)> g_taskloop_5{
    "__kmpc_taskloop_5"};

/// The task that the calling thread has allocated last: the pattern of its next taskloop, as a rule.
struct Latest {
  const Task* task = nullptr;
  i32 flags = 0;
  std::size_t size = 0;
};
constinit thread_local Latest t_latest __attribute__((tls_model("initial-exec")));

/// Executes a task's part of a served loop.
i32 share(i32 gtid, Task* task) {
  auto& part = *reinterpret_cast<TaskLoop::Part*>(task->lower); // NOLINT: see begin() below
  const TaskLoopFacts& facts = part.loop->facts();
  share_task_loop(
      part,
      [&](u64 first, u64 past, bool last) {
        task->lower = facts.at(first);
        task->upper = facts.at(past - 1);
        if (facts.tells_last) task->last = last ? 1 : 0;
        reinterpret_cast<Routine>(reinterpret_cast<std::uintptr_t>(facts.body))(gtid, task);
      },
      [] { return false; });
  return 0;
}

/// The program's clauses of a loop, behind its task.
struct Clauses {
  i32 condition; // value of if()
  u64* lower;
  u64* upper;
  i64 step;
  i32 form;   // k_no_clause, or which clause cuts the loop
  void* copy; // initialises the variables of a copy, and marks the last one
};

/// Prepares `task` and its bounds for a loop that we serve. grainsize() and num_tasks() set the size of one
/// task, and a task of ours would have several such pieces, with one copy of each firstprivate variable:
/// these loops are the runtime's. So are loops whose tasks are executed at once, untied tasks, which begin
/// again in the middle, and tasks that do not look like those of clang. clang opens the taskgroup itself, so
/// that no call here waits for the tasks.
[[gnu::noinline]] TaskLoop* begin(const ident_t* loc, Task* task, const Clauses& of,
                                  const void* caller) noexcept {
  const Latest pattern = std::exchange(t_latest, {});
  if (task == nullptr || task != pattern.task || pattern.size < sizeof(Task)) return nullptr;
  if ((pattern.flags & k_tied) == 0 || (pattern.flags & ~k_served) != 0 || of.condition == 0 ||
      of.form != k_no_clause)
    return nullptr;
  if (of.lower != &task->lower || of.upper != &task->upper || of.step != task->step || of.step == 0)
    return nullptr;
  const loop::CanonicalLoop<u64> loop(*of.lower, *of.upper, of.step);
  if (!loop.countable() || loop.iterations() < 2 || caller_is_runtime(caller)) return nullptr;
  TaskLoop* const ours =
      begin_task_loop({*of.lower, static_cast<u64>(of.step), reinterpret_cast<const void*>(task->routine),
                       caller, of.copy != nullptr},
                      loop.iterations(), false, kmpc::source_of(loc), nullptr);
  if (ours == nullptr) return nullptr;
  task->routine = share;
  task->lower = reinterpret_cast<std::uintptr_t>(ours->part(0));
  task->upper = reinterpret_cast<std::uintptr_t>(ours->part(ours->size() - 1));
  return ours;
}

constexpr i64 k_step = sizeof(TaskLoop::Part);

} // namespace

extern "C" {

WSTREE_SAME_CALLER static inline Task* alloc(ident_t* loc, i32 gtid, i32 flags, std::size_t size,
                                             std::size_t shareds, Routine routine) {
  Task* const task = g_alloc.require(WSTREE_CALLER)(loc, gtid, flags, size, shareds, routine);
  t_latest = {task, flags, size};
  return task;
}
WSTREE_EXPORT Task* __kmpc_omp_task_alloc(ident_t* loc, i32 gtid, i32 flags, std::size_t size,
                                          std::size_t shareds, Routine routine) {
  if (!active()) return hand_over<g_alloc>(loc, gtid, flags, size, shareds, routine);
  return alloc(loc, gtid, flags, size, shareds, routine);
}

WSTREE_SAME_CALLER static inline void taskloop(ident_t* loc, i32 gtid, Task* task, i32 condition, u64* lower,
                                               u64* upper, i64 step, i32 nogroup, i32 form, u64 number,
                                               void* copy) {
  const void* caller = code_about(loc, WSTREE_CALLER);
  if (TaskLoop* const ours = begin(loc, task, {condition, lower, upper, step, form, copy}, caller)) {
    step = k_step;
    form = k_num_tasks;
    number = ours->size();
  }
  g_taskloop.require(caller)(loc, gtid, task, condition, lower, upper, step, nogroup, form, number, copy);
}
WSTREE_EXPORT void __kmpc_taskloop(ident_t* loc, i32 gtid, Task* task, i32 condition, u64* lower, u64* upper,
                                   i64 step, i32 nogroup, i32 form, u64 number, void* copy) {
  if (!active())
    return hand_over<g_taskloop>(loc, gtid, task, condition, lower, upper, step, nogroup, form, number, copy);
  taskloop(loc, gtid, task, condition, lower, upper, step, nogroup, form, number, copy);
}

WSTREE_SAME_CALLER static inline void taskloop_5(ident_t* loc, i32 gtid, Task* task, i32 condition,
                                                 u64* lower, u64* upper, i64 step, i32 nogroup, i32 form,
                                                 u64 number, i32 strict, void* copy) {
  const Clauses clauses{condition, lower, upper, step, form, copy};
  const void* caller = code_about(loc, WSTREE_CALLER);
  if (TaskLoop* const ours = begin(loc, task, clauses, caller)) {
    step = k_step;
    form = k_num_tasks;
    number = ours->size();
  }
  g_taskloop_5.require(caller)(loc, gtid, task, condition, lower, upper, step, nogroup, form, number, strict,
                               copy);
}
/// `strict`: the number of grainsize or num_tasks is kept to the letter.
WSTREE_EXPORT void __kmpc_taskloop_5(ident_t* loc, i32 gtid, Task* task, i32 condition, u64* lower,
                                     u64* upper, i64 step, i32 nogroup, i32 form, u64 number, i32 strict,
                                     void* copy) {
  if (!active())
    return hand_over<g_taskloop_5>(loc, gtid, task, condition, lower, upper, step, nogroup, form, number,
                                   strict, copy);
  taskloop_5(loc, gtid, task, condition, lower, upper, step, nogroup, form, number, strict, copy);
}
}
