// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the runtime and a tool. The runtime calls the first ompt_start_tool that it finds, which is ours.
// We find the tool as the runtime would have, and give it the runtime's functions, except for the
// registration of callbacks. Two kinds of callbacks concern us: those of loops, which we call for ours; and
// those that name a call of the runtime that we make, where we put in the program's address.
#include "ompt/tool.h"

#include "export.h"
#include "ompt/find_tool.h"
#include "ompt/libgomp.h"
#include "ompt/types.h"
#include "resolve/elf_object.h"
#include "resolve/runtime.h"

#include <atomic>
#include <string_view>

namespace wstree::abi::ompt {

constinit thread_local OpenCall* OpenCall::t_innermost __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

/// The tool of the first runtime that finds one; other runtimes are left alone.
struct Tool {
  StartResult* theirs = nullptr;
  Lookup lookup = nullptr;
  SetCallback set = nullptr;
  GetCallback get = nullptr;
  GetTaskInfo get_task = nullptr;
  bool names_kinds = false; // the runtime's events name the kind of a loop's schedule
};
constinit Tool g_tool;
constinit std::atomic<bool> g_taken{false};
/// libomp names kinds from 18 on; 19 is the first that differs from those before by a function.
constinit Real<void(void*, int)> g_first_with_kinds{"__kmpc_dispatch_deinit", true};
/// The tool's callbacks for the events that concern us.
constinit Callbacks g_callbacks;

template <class Callback> Callback callback(int event) noexcept { return g_callbacks.of<Callback>(event); }

/// Returns the address of the program's call that reached the runtime from `code`.
const void* in_program(const void* code) noexcept {
  if (code == nullptr || !is_own_code(code)) return code;
  const OpenCall* call = OpenCall::innermost();
  return call != nullptr ? call->caller() : nullptr;
}

void on_parallel_begin(Data* task, const void* frame, Data* parallel, unsigned threads, int flags,
                       const void* code) {
  if (const auto tell = callback<ParallelBegin>(k_parallel_begin))
    tell(task, frame, parallel, threads, flags, in_program(code));
}
void on_parallel_end(Data* parallel, Data* task, int flags, const void* code) {
  if (const auto tell = callback<ParallelEnd>(k_parallel_end)) tell(parallel, task, flags, in_program(code));
}
template <int event> void on_sync(int kind, int endpoint, Data* parallel, Data* task, const void* code) {
  if (const auto tell = callback<SyncRegion>(event)) tell(kind, endpoint, parallel, task, in_program(code));
}
void on_released(int kind, std::uint64_t mutex, const void* code) {
  if (const auto tell = callback<Released>(k_mutex_released)) tell(kind, mutex, in_program(code));
}
void on_cancel(Data* task, int flags, const void* code) {
  if (const auto tell = callback<Cancel>(k_cancel)) tell(task, flags, in_program(code));
}

/// Returns the function that the runtime gets instead of the tool's; nullptr: the tool's own.
Function stand_in(int event) noexcept {
  switch (event) {
  case k_parallel_begin:
    return reinterpret_cast<Function>(&on_parallel_begin);
  case k_parallel_end:
    return reinterpret_cast<Function>(&on_parallel_end);
  case k_sync_region:
    return reinterpret_cast<Function>(&on_sync<k_sync_region>);
  case k_sync_region_wait:
    return reinterpret_cast<Function>(&on_sync<k_sync_region_wait>);
  case k_mutex_released: // the runtime may pass an address that it remembers from another call
    return reinterpret_cast<Function>(&on_released);
  case k_cancel:
    return reinterpret_cast<Function>(&on_cancel);
  default:
    return nullptr;
  }
}

bool is_ours_too(int event) noexcept {
  return event == k_work || event == k_dispatch || stand_in(event) != nullptr;
}

int set_for_tool(int event, Function function) {
  if (!is_ours_too(event)) return g_tool.set(event, function);
  g_callbacks.set(event, function);
  const Function instead = stand_in(event);
  if (function != nullptr) {
    session().attend_regions();
    if (instead == nullptr) session().watch_loops();
  }
  return g_tool.set(event, function != nullptr && instead != nullptr ? instead : function);
}

int get_for_tool(int event, Function* function) {
  const int found = g_tool.get(event, function);
  if (found != 0 && stand_in(event) != nullptr) *function = callback<Function>(event);
  return found;
}

Function look_up(const char* name) {
  const std::string_view asked = name;
  if (asked == "ompt_set_callback" && g_tool.set != nullptr) return reinterpret_cast<Function>(&set_for_tool);
  if (asked == "ompt_get_callback" && g_tool.get != nullptr) return reinterpret_cast<Function>(&get_for_tool);
  return g_tool.lookup(name);
}

int initialize(Lookup lookup, int initial_device, Data*) {
  g_tool.lookup = lookup;
  g_tool.set = reinterpret_cast<SetCallback>(lookup("ompt_set_callback"));
  g_tool.get = reinterpret_cast<GetCallback>(lookup("ompt_get_callback"));
  g_tool.get_task = reinterpret_cast<GetTaskInfo>(lookup("ompt_get_task_info"));
  return g_tool.theirs->initialize(&look_up, initial_device, &g_tool.theirs->tool);
}

void finalize(Data*) {
  g_callbacks.clear();
  g_tool.theirs->finalize(&g_tool.theirs->tool);
}

constinit StartResult g_ours{&initialize, &finalize, {0}};

/// The calling thread's task and region, as the runtime reports them.
struct Where {
  Data* task = nullptr;
  Data* parallel = nullptr;
  bool is_known = false;
};
Where where_now() noexcept {
  Where here;
  if (g_tool.get_task != nullptr)
    here.is_known = g_tool.get_task(0, nullptr, &here.task, nullptr, &here.parallel, nullptr) != 0;
  return here;
}

/// Returns the kind of work in the event of a served loop: the schedule that the program's clause names.
/// "Other" where the clause leaves the choice to us.
int work_of(config::LoopKind kind) noexcept {
  if (!g_tool.names_kinds) return k_work_loop;
  switch (kind) {
  case config::LoopKind::static_:
  case config::LoopKind::proven:
    return k_work_loop_static;
  case config::LoopKind::dynamic:
    return k_work_loop_dynamic;
  case config::LoopKind::guided:
    return k_work_loop_guided;
  case config::LoopKind::runtime:
  case config::LoopKind::auto_:
  case config::LoopKind::taskloop: // the runtime has events for these itself
    break;
  }
  return k_work_loop_other;
}

void tell_work(const Frame& frame, int endpoint) noexcept {
  const auto tell = callback<Work>(k_work);
  if (tell == nullptr) return;
  if (const Where here = where_now(); here.is_known)
    tell(frame.work, endpoint, here.parallel, here.task, frame.bounds.iterations, frame.code);
}

} // namespace

void attend_loop(Frame& frame, config::LoopKind kind, const void* caller) noexcept {
  if (tool_listens(caller)) return frame.loop.hold(); // gomp/ calls the tool for this loop
  if (callback<Work>(k_work) == nullptr && callback<Dispatch>(k_dispatch) == nullptr) return;
  frame.code = caller;
  frame.work = static_cast<std::uint16_t>(work_of(kind));
  frame.loop.tell();
}

void before_request(Frame& frame, const void* caller) noexcept {
  if (frame.loop.tell_begin()) tell_work(frame, k_begin);
  frame.code = caller;
}

void tell_chunk(const Frame& frame, std::uint64_t first, std::uint64_t last, std::uint64_t step) noexcept {
  const auto tell = callback<Dispatch>(k_dispatch);
  if (tell == nullptr || !frame.loop.is_told()) return;
  Chunk chunk = chunk_of(first, last, step);
  Data instance{};
  instance.pointer = &chunk;
  if (const Where here = where_now(); here.is_known)
    tell(here.parallel, here.task, k_dispatch_chunk, instance);
}

void tell_end(const Frame& frame) noexcept { tell_work(frame, k_end); }

} // namespace wstree::abi::ompt

extern "C" WSTREE_EXPORT wstree::abi::ompt::StartResult* ompt_start_tool(unsigned version,
                                                                         const char* runtime) {
  using namespace wstree::abi;
  using namespace wstree::abi::ompt;
  StartResult* result = start_loaded_tool(version, runtime);
  if (!active()) return result;
  if (result == nullptr) result = start_listed_tool(version, runtime);
  if (result == nullptr || g_taken.exchange(true, std::memory_order_relaxed)) return result;
  g_tool.theirs = result;
  g_tool.names_kinds = g_first_with_kinds.find(__builtin_return_address(0)) != nullptr;
  return &g_ours;
}
