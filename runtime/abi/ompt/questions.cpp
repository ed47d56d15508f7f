// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry points for a tool on libgomp: those of OpenMP 5.2, section 19.6.1, but for those of devices and
// of the memory of tasks.
#include "ompt/threads.h"
#include "resolve/runtime.h"

#include <sched.h>

#include <array>
#include <cstddef>
#include <string_view>

namespace wstree::abi::ompt {
namespace {

struct Named {
  int number;
  const char* name;
};
constexpr Named k_states[] = {{k_serial, "ompt_state_work_serial"},
                              {k_parallel, "ompt_state_work_parallel"},
                              {k_in_region_barrier, "ompt_state_wait_barrier_implicit_parallel"},
                              {k_in_loop_barrier, "ompt_state_wait_barrier_implicit_workshare"},
                              {k_in_barrier, "ompt_state_wait_barrier_implementation"},
                              {k_idle, "ompt_state_idle"}};

/// The state behind `current`; `current` is k_undefined before the first one.
int enumerate_states(int current, int* next, const char** name) {
  std::size_t at = 0;
  if (current != k_undefined)
    while (at < std::size(k_states) && k_states[at++].number != current) {
    }
  if (at >= std::size(k_states)) return 0;
  *next = k_states[at].number;
  *name = k_states[at].name;
  return 1;
}

/// Our events have no mutex.
int enumerate_mutexes(int, int*, const char**) { return 0; }

int answer_for(int event) noexcept {
  switch (event) {
  case k_parallel_begin:
  case k_parallel_end:
  case k_implicit_task:
  case k_thread_begin:
    return k_set_always;
  case k_thread_end: // not of threads that are there at the end
  case k_dispatch:   // not of sections
    return k_set_sometimes;
  case k_work:        // gcc makes code of static loops
  case k_sync_region: // not of tasks
  case k_sync_region_wait:
    return k_set_sometimes_paired;
  default:
    return event >= k_thread_begin && event <= k_last_event ? k_set_never : k_set_error;
  }
}

int set_callback(int event, Function function) {
  const int answer = answer_for(event);
  if (answer > k_set_never) g_told_by_us.set(event, function);
  return answer;
}

int get_callback(int event, Function* function) {
  if (answer_for(event) <= k_set_never) return 0;
  *function = g_told_by_us.of<Function>(event);
  return *function != nullptr ? 1 : 0;
}

Data* get_thread_data() { return t_thread != nullptr ? &t_thread->data : nullptr; }

int get_state(std::uint64_t* wait) {
  if (wait != nullptr) *wait = 0;
  return t_thread != nullptr ? t_thread->state() : k_undefined;
}

/// Returns the task `level` regions further out; nullptr: there is none.
Task* task_at(int level) noexcept {
  Task* task = t_thread != nullptr ? t_thread->task : nullptr;
  for (; task != nullptr && level > 0; --level)
    task = task->region != nullptr ? task->region->parent : nullptr;
  return level < 0 ? nullptr : task;
}

constexpr int k_available = 2;
constexpr int k_none = 0;

int get_parallel_info(int level, Data** parallel, int* members) {
  const Task* task = task_at(level);
  if (task == nullptr) return k_none;
  if (parallel != nullptr) *parallel = task->parallel;
  if (members != nullptr) *members = static_cast<int>(task->members);
  return k_available;
}

int get_task_info(int level, int* flags, Data** data, TaskFrame** frame, Data** parallel, int* thread) {
  Task* task = task_at(level);
  if (task == nullptr) return k_none;
  if (flags != nullptr) *flags = task->region != nullptr ? k_implicit : k_initial_task;
  if (data != nullptr) *data = &task->data;
  if (frame != nullptr) *frame = &task->frame;
  if (parallel != nullptr) *parallel = task->parallel;
  if (thread != nullptr) *thread = task->region != nullptr ? static_cast<int>(task->index) : 0;
  return k_available;
}

std::uint64_t get_unique_id() {
  static constinit std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1; // relaxed: nothing but the number counts
}

// --- questions to libgomp

constinit Real<int()> g_procs{"omp_get_num_procs"};
constinit Real<int()> g_devices{"omp_get_num_devices"};
constinit Real<int()> g_places{"omp_get_num_places"};
constinit Real<int()> g_place{"omp_get_place_num"};
constinit Real<int(int)> g_procs_of_place{"omp_get_place_num_procs"};
constinit Real<void(int, int*)> g_ids_of_place{"omp_get_place_proc_ids"};
constinit Real<int()> g_partition_places{"omp_get_partition_num_places"};
constinit Real<void(int*)> g_partition{"omp_get_partition_place_nums"};

template <auto& function, int otherwise, class... Args> int ask_runtime(Args... arguments) {
  const auto get = function.find(told_code());
  return get != nullptr ? get(arguments...) : otherwise;
}

int get_place_proc_ids(int place, int room, int* ids) {
  const int needed = ask_runtime<g_procs_of_place, 0>(place);
  const auto get = g_ids_of_place.find(told_code());
  if (get != nullptr && room >= needed && ids != nullptr) get(place, ids);
  return needed;
}

int get_partition(int room, int* places) {
  const int needed = ask_runtime<g_partition_places, 0>();
  const auto get = g_partition.find(told_code());
  if (get != nullptr && room >= needed && places != nullptr) get(places);
  return needed;
}

int get_proc_id() { return sched_getcpu(); }

struct Question {
  std::string_view name;
  Function function;
};
template <class Pointer> Question answered(std::string_view name, Pointer function) noexcept {
  return {name, reinterpret_cast<Function>(function)};
}

} // namespace

Function look_up_ours(const char* name) {
  const std::array questions{
      answered("ompt_set_callback", &set_callback),
      answered("ompt_get_callback", &get_callback),
      answered("ompt_enumerate_states", &enumerate_states),
      answered("ompt_enumerate_mutex_impls", &enumerate_mutexes),
      answered("ompt_get_state", &get_state),
      answered("ompt_get_thread_data", &get_thread_data),
      answered("ompt_get_parallel_info", &get_parallel_info),
      answered("ompt_get_task_info", &get_task_info),
      answered("ompt_get_unique_id", &get_unique_id),
      answered("ompt_finalize_tool", &finalize_tool),
      answered("ompt_get_proc_id", &get_proc_id),
      answered("ompt_get_num_procs", &ask_runtime<g_procs, 1>),
      answered("ompt_get_num_devices", &ask_runtime<g_devices, 0>),
      answered("ompt_get_num_places", &ask_runtime<g_places, 0>),
      answered("ompt_get_place_num", &ask_runtime<g_place, -1>),
      answered("ompt_get_place_proc_ids", &get_place_proc_ids),
      answered("ompt_get_partition_place_nums", &get_partition),
  };
  for (const Question& question : questions)
    if (question.name == name) return question.function;
  return nullptr;
}

} // namespace wstree::abi::ompt
