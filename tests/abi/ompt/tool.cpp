// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that says which events it is told of and from which code: at the end it prints one line on stdout
// for each different kind, endpoint and place, with how often it came. With TOOL_SUMS=1 it also prints what
// the events of loops add up to. A library for OMP_TOOL_LIBRARIES,
// and part of programs that are their own tool.
#include "ompt.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace {

using ompt::Data;

/// libomp may tell the last events after the destructors of static objects.
struct Seen {
  std::mutex lock;
  std::map<std::string, long> lines;
  std::map<std::string, std::uint64_t> sums;
};
Seen& seen() {
  static Seen* const made = new Seen;
  return *made;
}

/// "program+0x1234", "libomp.so.5", "nowhere".
std::string place_of(const void* code) {
  if (code == nullptr) return "nowhere";
  Dl_info info{};
  if (dladdr(code, &info) == 0) return "unknown";
  const char* slash = std::strrchr(info.dli_fname, '/');
  const std::string name = slash != nullptr ? slash + 1 : info.dli_fname;
  if (name.find(".so") != std::string::npos) return name;
  char text[40];
  std::snprintf(
      text, sizeof text, "program+%#lx",
      static_cast<unsigned long>(static_cast<const char*>(code) - static_cast<const char*>(info.dli_fbase)));
  return text;
}

void note(const std::string& event, const void* code) {
  const std::string line = event + " " + place_of(code);
  const std::lock_guard guard(seen().lock);
  ++seen().lines[line];
}
void add(const std::string& what, std::uint64_t amount) {
  const std::lock_guard guard(seen().lock);
  seen().sums[what] += amount;
}
std::string numbered(const char* event, int kind, int endpoint) {
  return std::string(event) + " " + std::to_string(kind) +
         (endpoint == ompt::k_scope_begin ? " begin" : " end");
}

void on_parallel_begin(Data*, const void*, Data* parallel, unsigned, int, const void* code) {
  static std::atomic<std::uint64_t> next{1};
  parallel->value = next.fetch_add(1);
  note("parallel begin", code);
}
void on_parallel_end(Data* parallel, Data*, int, const void* code) {
  if (parallel->value == 0) note("end of an unknown region", code);
  note("parallel end", code);
}
void on_implicit_task(int endpoint, Data* parallel, Data* task, unsigned members, unsigned, int flags) {
  constexpr int k_initial = 1;
  if ((flags & k_initial) != 0) return;
  if (endpoint == ompt::k_scope_begin) {
    task->value = parallel->value;
    add("tasks begun", 1);
    add("members", members);
  } else {
    add("tasks ended", 1);
  }
}
void on_work(int kind, int endpoint, Data* parallel, Data* task, std::uint64_t count, const void* code) {
  if (kind > ompt::k_work_loop && kind < 10) return note(numbered("work", kind, endpoint), code);
  if (parallel == nullptr || task == nullptr || task->value != parallel->value)
    note("loop of an unknown task", code);
  if (endpoint == ompt::k_scope_begin) {
    add("loop iterations", count);
    add("loops of kind " + std::to_string(kind), 1);
  }
  add(endpoint == ompt::k_scope_begin ? "loops begun" : "loops ended", 1);
  note(endpoint == ompt::k_scope_begin ? "loop begin" : "loop end", code);
}
void on_dispatch(Data* parallel, Data* task, int, Data instance) {
  if (task->value != parallel->value) note("chunk of an unknown task", nullptr);
  add("chunks", 1);
  // Runtimes before 16 pass no chunk.
  if (instance.pointer != nullptr && std::getenv("TOOL_CHUNKS") != nullptr) {
    const auto* chunk = static_cast<const ompt::Chunk*>(instance.pointer);
    add("chunk iterations", chunk->iterations);
    add("chunk starts", chunk->start);
  }
}
void on_sync_region(int kind, int endpoint, Data*, Data*, const void* code) {
  note(numbered("sync", kind, endpoint), code);
}
void on_sync_region_wait(int kind, int endpoint, Data*, Data*, const void* code) {
  note(numbered("wait", kind, endpoint), code);
}
void on_reduction(int kind, int endpoint, Data*, Data*, const void* code) {
  note(numbered("reduction", kind, endpoint), code);
}
void on_masked(int endpoint, Data*, Data*, const void* code) { note(numbered("masked", 0, endpoint), code); }
void on_acquire(int kind, unsigned, unsigned, std::uint64_t, const void* code) {
  note("acquire " + std::to_string(kind), code);
}
void on_acquired(int kind, std::uint64_t, const void* code) {
  note("acquired " + std::to_string(kind), code);
}
void on_released(int kind, std::uint64_t, const void* code) {
  note("released " + std::to_string(kind), code);
}
void on_cancel(Data*, int, const void* code) { note("cancel", code); }
void on_task_create(Data*, const void*, Data*, int flags, int, const void* code) {
  constexpr int k_initial = 1;
  if ((flags & k_initial) == 0) note("task", code);
}

int initialize(ompt::Lookup lookup, int, Data*) {
  const auto set = reinterpret_cast<ompt::SetCallback>(lookup("ompt_set_callback"));
  if (set == nullptr) return 0;
  const auto hear = [set](ompt::Event event, auto* function) {
    const int result = set(event, reinterpret_cast<ompt::Function>(function));
    if (result < 3) std::printf("cannot hear of %d: %d\n", static_cast<int>(event), result);
  };
  hear(ompt::parallel_begin, on_parallel_begin);
  hear(ompt::parallel_end, on_parallel_end);
  hear(ompt::implicit_task, on_implicit_task);
  hear(ompt::work, on_work);
  hear(ompt::dispatch, on_dispatch);
  hear(ompt::sync_region, on_sync_region);
  hear(ompt::sync_region_wait, on_sync_region_wait);
  hear(ompt::reduction, on_reduction);
  hear(ompt::masked, on_masked);
  hear(ompt::mutex_acquire, on_acquire);
  hear(ompt::mutex_acquired, on_acquired);
  hear(ompt::mutex_released, on_released);
  hear(ompt::cancel, on_cancel);
  hear(ompt::task_create, on_task_create);
  return 1;
}

void finalize(Data*) {
  const std::lock_guard guard(seen().lock);
  for (const auto& [line, times] : seen().lines) std::printf("%s x %ld\n", line.c_str(), times);
  for (const auto& [what, sum] : seen().sums)
    std::printf("%s: %llu\n", what.c_str(), static_cast<unsigned long long>(sum));
  std::fflush(stdout);
}

ompt::StartResult g_result{initialize, finalize, {0}};

} // namespace

extern "C" __attribute__((visibility("default"))) ompt::StartResult* ompt_start_tool(unsigned, const char*) {
  return &g_result;
}
