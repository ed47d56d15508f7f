// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The taskloops of GCC's interface.
//
// A task begins with the bounds of its piece, as two words in front of the variables that it has of its own.
// The runtime writes them when it creates the task. So a loop that we serve goes to the runtime as a loop
// over the addresses of its parts, and each task finds its own part there; then it writes the bounds of each
// batch that it gets from the tree, and calls the program's function.
#include "canonical_loop.h"
#include "export.h"
#include "process/request.h"
#include "resolve/omp_queries.h"
#include "resolve/runtime.h"
#include "task_loops.h"

#include <cstdint>

namespace {

using namespace wstree;
using namespace wstree::abi;
using ull = unsigned long long;

// Flags of GOMP_taskloop.
constexpr unsigned k_untied = 1U << 0;
constexpr unsigned k_final = 1U << 1;
constexpr unsigned k_mergeable = 1U << 2;
constexpr unsigned k_priority = 1U << 4;
constexpr unsigned k_up = 1U << 8;
constexpr unsigned k_if = 1U << 10; // the condition of if() holds, or there is none
constexpr unsigned k_nogroup = 1U << 11;
constexpr unsigned k_reduction = 1U << 12;
constexpr unsigned k_served =
    k_untied | k_final | k_mergeable | k_priority | k_up | k_if | k_nogroup | k_reduction;

constexpr int k_taskgroup = 8; // in GOMP_cancellation_point

using Body = void (*)(void*);
using Copy = void (*)(void*, void*);
template <class T>
using Entry = Real<void(Body, void*, Copy, long, long, unsigned, unsigned long, int, T, T, T)>;
constinit Entry<long> g_taskloop{"GOMP_taskloop"};
constinit Entry<ull> g_taskloop_ull{"GOMP_taskloop_ull"};
constinit Real<bool(int)> g_cancellation_point{"GOMP_cancellation_point"};

/// Executes a task's part of a served loop; `data` is the task's own.
void share(void* data) {
  auto* const bounds = static_cast<std::uint64_t*>(data);
  auto& part = *reinterpret_cast<TaskLoop::Part*>(bounds[0]); // NOLINT: see begin() below
  const TaskLoopFacts& facts = part.loop->facts();
  share_task_loop(
      part,
      [&](std::uint64_t first, std::uint64_t past, bool) {
        bounds[0] = facts.at(first);
        bounds[1] = facts.at(past);
        reinterpret_cast<Body>(reinterpret_cast<std::uintptr_t>(facts.body))(data);
      },
      [&] { return g_cancellation_point.require(facts.caller)(k_taskgroup); });
}

/// Returns nullptr for a loop that the runtime executes. grainsize() and num_tasks(), whose value is
/// `number`, set the size of one task, and a task of ours would have several such pieces. Loops whose tasks
/// are executed at once, in their order, and loops that copy objects with functions of theirs, of which a
/// task has a copy for one piece only, are the runtime's, too. So are all loops of libomp.
TaskLoop* begin(Body body, Copy copy, unsigned flags, unsigned long number, const loop::HalfOpenLoop& loop,
                const void* caller, TaskTimer& timer) noexcept {
  if (number != 0 || (flags & k_if) == 0 || (flags & ~k_served) != 0 || copy != nullptr) return nullptr;
  if (!loop.countable() || loop.iterations() < 2 || runtime_is_llvms(caller)) return nullptr;
  return begin_task_loop({loop.start(), loop.increment(), reinterpret_cast<const void*>(body), caller},
                         loop.iterations(), (flags & k_nogroup) == 0, nullptr, &timer);
}

template <class T> T address_of(TaskLoop::Part* part) noexcept {
  return static_cast<T>(reinterpret_cast<std::uintptr_t>(part));
}

template <auto& entry, class T>
void run(Body body, void* data, Copy copy, long size, long alignment, unsigned flags, unsigned long number,
         int priority, const loop::HalfOpenLoop& loop, T start, T end, T step, const void* caller) {
  const auto real = entry.require(caller);
  TaskTimer timer;
  TaskLoop* const ours = begin(body, copy, flags, number, loop, caller, timer);
  if (ours == nullptr)
    return real(body, data, copy, size, alignment, flags, number, priority, start, end, step);
  const bool ends_here = ours->facts().cancellable;
  const std::uint32_t tasks = ours->size();
  real(share, data, nullptr, size, alignment, flags | k_up, tasks, priority, address_of<T>(ours->part(0)),
       address_of<T>(ours->part(tasks)), sizeof(TaskLoop::Part));
  if (ends_here) end_task_loop(*ours);
}

} // namespace

extern "C" {

WSTREE_SAME_CALLER static inline void taskloop(Body body, void* data, Copy copy, long size, long alignment,
                                               unsigned flags, unsigned long number, int priority, long start,
                                               long end, long step) {
  run<g_taskloop>(body, data, copy, size, alignment, flags, number, priority,
                  loop::HalfOpenLoop(start, end, step), start, end, step,
                  code_about(reinterpret_cast<const void*>(body), WSTREE_CALLER));
}
WSTREE_EXPORT void GOMP_taskloop(Body body, void* data, Copy copy, long size, long alignment, unsigned flags,
                                 unsigned long number, int priority, long start, long end, long step) {
  if (!active())
    return hand_over<g_taskloop>(body, data, copy, size, alignment, flags, number, priority, start, end,
                                 step);
  taskloop(body, data, copy, size, alignment, flags, number, priority, start, end, step);
}

WSTREE_SAME_CALLER static inline void taskloop_ull(Body body, void* data, Copy copy, long size,
                                                   long alignment, unsigned flags, unsigned long number,
                                                   int priority, ull start, ull end, ull step) {
  run<g_taskloop_ull>(body, data, copy, size, alignment, flags, number, priority,
                      loop::HalfOpenLoop((flags & k_up) != 0, start, end, step), start, end, step,
                      code_about(reinterpret_cast<const void*>(body), WSTREE_CALLER));
}
WSTREE_EXPORT void GOMP_taskloop_ull(Body body, void* data, Copy copy, long size, long alignment,
                                     unsigned flags, unsigned long number, int priority, ull start, ull end,
                                     ull step) {
  if (!active())
    return hand_over<g_taskloop_ull>(body, data, copy, size, alignment, flags, number, priority, start, end,
                                     step);
  taskloop_ull(body, data, copy, size, alignment, flags, number, priority, start, end, step);
}
}
