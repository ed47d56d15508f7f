// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ompt/libgomp.h"

#include "ompt/threads.h"
#include "resolve/runtime.h"

#include <pthread.h>

#include <new>
#include <utility>

namespace wstree::abi::ompt {

constinit thread_local Thread* t_thread __attribute__((tls_model("initial-exec"))) = nullptr;
constinit Callbacks g_told_by_us;

namespace {

constinit Real<int()> g_max_threads{"omp_get_max_threads"};

template <class Callback> Callback own_callback(int event) noexcept {
  return g_told_by_us.of<Callback>(event);
}

// --- threads

/// Returns the record of the calling thread, which is of `kind` if the tool has not heard of it before;
/// nullptr: no memory.
Thread* own_thread(int kind) noexcept {
  if (t_thread != nullptr) [[likely]]
    return t_thread;
  auto* made = new (std::nothrow) Thread(kind);
  if (made == nullptr) return nullptr;
  if (pthread_setspecific(g_thread_key, made) != 0) {
    delete made;
    return nullptr;
  }
  t_thread = made;
  if (const auto tell = own_callback<ThreadBegin>(k_thread_begin)) tell(kind, &made->data);
  if (kind != k_initial_thread) return made;
  if (const auto tell = own_callback<ImplicitTask>(k_implicit_task))
    tell(k_begin, &made->around, &made->outermost.data, 1, 1, k_initial_task);
  return made;
}

Task& task_of(Thread& thread) noexcept { return thread.task != nullptr ? *thread.task : thread.outermost; }

// --- events

int state_in(int barrier) noexcept {
  switch (barrier) {
  case k_barrier_of_region:
    return k_in_region_barrier;
  case k_barrier_of_loop:
    return k_in_loop_barrier;
  default:
    return k_in_barrier;
  }
}

void tell_work(Task& task, int endpoint, const Construct& construct, const void* caller) noexcept {
  if (const auto tell = own_callback<Work>(k_work))
    tell(construct.kind, endpoint, task.parallel, &task.data, construct.count, caller);
}

template <int event> void tell_sync(Task& task, int kind, int endpoint, const void* caller) noexcept {
  // When it ends, the region may be gone.
  Data* const parallel = endpoint == k_end && kind == k_barrier_of_region ? nullptr : task.parallel;
  if (const auto tell = own_callback<SyncRegion>(event)) tell(kind, endpoint, parallel, &task.data, caller);
}

void enter_barrier(Thread& thread, Task& task, int kind, const void* caller) noexcept {
  tell_sync<k_sync_region>(task, kind, k_begin, caller);
  tell_sync<k_sync_region_wait>(task, kind, k_begin, caller);
  thread.barrier = state_in(kind);
}
void leave_barrier(Thread& thread, Task& task, int kind, const void* caller) noexcept {
  thread.barrier = 0;
  tell_sync<k_sync_region_wait>(task, kind, k_end, caller);
  tell_sync<k_sync_region>(task, kind, k_end, caller);
}

void tell_implicit_end(Task& task) noexcept {
  if (const auto tell = own_callback<ImplicitTask>(k_implicit_task))
    tell(k_end, nullptr, &task.data, 0, task.index, k_implicit);
}

} // namespace

void tell_end_of(Thread& thread) noexcept {
  if (thread.kind == k_initial_thread && thread.task == &thread.outermost)
    if (const auto tell = own_callback<ImplicitTask>(k_implicit_task))
      // OpenMP has no region here. libomp names it, and tools use it (LLVM's Archer).
      tell(k_end, &thread.around, &thread.outermost.data, 0, 1, k_initial_task);
  if (const auto tell = own_callback<ThreadEnd>(k_thread_end)) tell(&thread.data);
}

void end_thread(void* data) noexcept {
  auto* thread = static_cast<Thread*>(data);
  tell_end_of(*thread);
  t_thread = nullptr;
  delete thread;
}

Thread::Thread(int which) noexcept : kind(which), task(which == k_initial_thread ? &outermost : nullptr) {
  outermost.parallel = &around;
  outermost.index = 1; // as OpenMP numbers initial tasks
}

ToldRegion::ToldRegion(const void* code, unsigned requested, void* frame) noexcept
    : caller(code), parent(nullptr) {
  Thread* thread = own_thread(k_initial_thread);
  if (thread == nullptr) return;
  parent = &task_of(*thread);
  left = parent->frame.enter;
  parent->frame.enter.pointer = frame;
  parent->frame.enter_flags = k_frame_of_runtime;
  if (requested == 0)
    if (const auto get = g_max_threads.find(caller)) requested = static_cast<unsigned>(get());
  if (const auto tell = own_callback<ParallelBegin>(k_parallel_begin))
    tell(&parent->data, &parent->frame, &data, requested, k_team_by_runtime, caller);
}

ToldRegion::~ToldRegion() {
  if (parent == nullptr || t_thread == nullptr) return;
  if (t_thread->task == &primary) {
    leave_barrier(*t_thread, primary, k_barrier_of_region, caller);
    t_thread->task = primary.outer;
    tell_implicit_end(primary);
  }
  if (const auto tell = own_callback<ParallelEnd>(k_parallel_end))
    tell(&data, &parent->data, k_team_by_runtime, caller);
  parent->frame.enter = left;
}

ToldMember::ToldMember(ToldRegion& region, std::uint32_t index, std::uint32_t members, void* frame) noexcept
    : region_(region), task_(nullptr) {
  Thread* thread = region.parent != nullptr ? own_thread(k_worker) : nullptr;
  if (thread == nullptr) return;
  task_ = index == 0 ? &region.primary : &own_;
  task_->region = &region;
  task_->parallel = &region.data;
  task_->index = index;
  task_->members = members;
  task_->frame.exit.pointer = frame;
  task_->frame.exit_flags = k_frame_of_runtime;
  task_->outer = std::exchange(thread->task, task_);
  if (const auto tell = own_callback<ImplicitTask>(k_implicit_task))
    tell(k_begin, task_->parallel, &task_->data, members, index, k_implicit);
}

ToldMember::~ToldMember() {
  if (task_ == nullptr || t_thread == nullptr) return;
  task_->frame.exit = {};
  if (task_ == &region_.primary) {
    enter_barrier(*t_thread, *task_, k_barrier_of_region, region_.caller);
    return;
  }
  tell_sync<k_sync_region>(*task_, k_barrier_of_region, k_begin, region_.caller);
  tell_sync<k_sync_region>(*task_, k_barrier_of_region, k_end, region_.caller);
  t_thread->task = task_->outer;
  tell_implicit_end(*task_);
}

void begin_work(const Construct& construct, const void* caller) noexcept {
  Thread* thread = own_thread(k_initial_thread);
  if (thread == nullptr) return;
  Task& task = task_of(*thread);
  task.construct = construct;
  tell_work(task, k_begin, construct, caller);
}

void end_work(const void* caller) noexcept {
  if (t_thread == nullptr) return;
  Task& task = task_of(*t_thread);
  const Construct left = std::exchange(task.construct, {});
  if (left.kind != 0) tell_work(task, k_end, left, caller);
}

void tell_iterations(std::uint64_t first, std::uint64_t past) noexcept {
  const auto tell = own_callback<Dispatch>(k_dispatch);
  if (tell == nullptr || t_thread == nullptr) return;
  Task& task = task_of(*t_thread);
  if (task.construct.kind != k_work_loop) return;
  const std::uint64_t step = task.construct.step;
  // The bound of the last chunk need not be a whole number of steps away.
  Chunk chunk = chunk_of(first, static_cast<std::int64_t>(step) > 0 ? past - 1 : past + 1, step);
  Data instance{};
  instance.pointer = &chunk;
  tell(task.parallel, &task.data, k_dispatch_chunk, instance);
}

ToldBarrier::ToldBarrier(int kind, const void* caller) noexcept : kind_(kind), caller_(caller) {
  if (Thread* thread = own_thread(k_initial_thread)) enter_barrier(*thread, task_of(*thread), kind_, caller_);
}
ToldBarrier::~ToldBarrier() {
  if (t_thread != nullptr) leave_barrier(*t_thread, task_of(*t_thread), kind_, caller_);
}

} // namespace wstree::abi::ompt
