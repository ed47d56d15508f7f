// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that writes each event on a line of its own when it ends, in the order in which they came: "work
// thread=1 end=0 kind=1 region=3 task=5 count=100 code=program+0x12". It also asks the runtime what the event
// says, and writes a line "wrong: ..." if the answers differ; libomp and the library on it need not agree.
// The last line is RECORDER_ENDS.
#include "ompt.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#ifndef RECORDER_ENDS
#define RECORDER_ENDS "finalized"
#endif

namespace {

using ompt::Data;

std::atomic<std::uint64_t> g_last{0};
std::uint64_t next() { return g_last.fetch_add(1) + 1; }

struct Seen {
  std::mutex lock;
  std::vector<std::string> lines;
};
Seen& seen() {
  static Seen* const made = new Seen; // events may come after the destructors of static objects
  return *made;
}

ompt::Lookup g_lookup = nullptr;
template <class Pointer> Pointer entry(const char* name) { return reinterpret_cast<Pointer>(g_lookup(name)); }

Data* thread_data() {
  static const auto ask = entry<Data* (*)()>("ompt_get_thread_data");
  return ask();
}
int state() {
  static const auto ask = entry<int (*)(std::uint64_t*)>("ompt_get_state");
  return ask(nullptr);
}
int task_info(int level, int* flags, Data** task, ompt::TaskFrame** frame, Data** parallel, int* thread) {
  static const auto ask =
      entry<int (*)(int, int*, Data**, ompt::TaskFrame**, Data**, int*)>("ompt_get_task_info");
  return ask(level, flags, task, frame, parallel, thread);
}
int parallel_info(int level, Data** parallel, int* members) {
  static const auto ask = entry<int (*)(int, Data**, int*)>("ompt_get_parallel_info");
  return ask(level, parallel, members);
}

std::string text(const Data* data) { return std::to_string(data != nullptr ? data->value : 0); }
std::string text(const void* code) {
  Dl_info info{};
  if (code == nullptr || dladdr(code, &info) == 0) return "nowhere";
  const char* slash = std::strrchr(info.dli_fname, '/');
  const std::string name = slash != nullptr ? slash + 1 : info.dli_fname;
  if (name.find(".so") != std::string::npos) return name;
  char text[40];
  std::snprintf(
      text, sizeof text, "program+%#zx",
      static_cast<std::size_t>(static_cast<const char*>(code) - static_cast<const char*>(info.dli_fbase)));
  return text;
}
std::string text(Data* data) { return text(static_cast<const Data*>(data)); }
template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
std::string text(Number number) {
  return std::to_string(number);
}

void add_fields(std::string&) {}
template <class Value, class... Rest>
void add_fields(std::string& line, const char* name, const Value& value, const Rest&... rest) {
  line += std::string(" ") + name + "=" + text(value);
  add_fields(line, rest...);
}
void keep(const std::string& line) {
  const std::lock_guard guard(seen().lock);
  seen().lines.push_back(line);
}
/// Keeps "EVENT thread=NUMBER NAME=VALUE ..." of names and values in turn.
template <class... Fields> void write(const char* event, const Fields&... fields) {
  std::string line = event;
  add_fields(line, "thread", thread_data(), fields...);
  keep(line);
}
int end(int endpoint) { return endpoint == ompt::k_scope_begin ? 0 : 1; }

void expect(bool holds, const char* what) {
  if (!holds) keep(std::string("wrong: ") + what);
}
void expect_task(const Data* task, const Data* parallel) {
  Data* asked_task = nullptr;
  Data* asked_parallel = nullptr;
  Data* of_region = nullptr;
  int members = 0;
  expect(task_info(0, nullptr, &asked_task, nullptr, &asked_parallel, nullptr) == 2, "no task");
  expect(asked_task == task, "another task");
  expect(asked_parallel == parallel, "the task is of another region");
  expect(parallel_info(0, &of_region, &members) == 2, "no region");
  expect(of_region == parallel, "another region");
}

void on_thread_begin(int kind, Data* thread) {
  thread->value = next();
  expect(thread == thread_data(), "thread data");
  write("thread", "end", 0, "kind", kind);
}
void on_thread_end(Data* thread) {
  expect(thread == thread_data(), "thread data");
  write("thread", "end", 1);
}
void on_parallel_begin(Data* task, const void* frame, Data* parallel, unsigned requested, int flags,
                       const void* code) {
  expect(parallel->value == 0, "data of another region");
  parallel->value = next();
  const auto* told = static_cast<const ompt::TaskFrame*>(frame);
  expect(told != nullptr && told->enter.pointer != nullptr, "no frame");
  Data* asked = nullptr;
  expect(task_info(0, nullptr, &asked, nullptr, nullptr, nullptr) == 2 && asked == task,
         "another task opens");
  write("parallel", "end", 0, "region", parallel, "task", task, "requested", requested, "flags", flags,
        "code", code);
}
void on_parallel_end(Data* parallel, Data* task, int flags, const void* code) {
  write("parallel", "end", 1, "region", parallel, "task", task, "flags", flags, "code", code);
}
void on_implicit_task(int endpoint, Data* parallel, Data* task, unsigned members, unsigned index, int flags) {
  if (endpoint == ompt::k_scope_begin) {
    expect(task->value == 0, "data of another task");
    task->value = next();
    expect_task(task, parallel);
    int asked_flags = 0;
    int number = -1;
    task_info(0, &asked_flags, nullptr, nullptr, nullptr, &number);
    expect(asked_flags == flags, "flags of the task");
    expect(flags != 2 || number == static_cast<int>(index), "number of the thread");
    int asked_members = 0;
    parallel_info(0, nullptr, &asked_members);
    expect(asked_members == static_cast<int>(members), "members");
    // Further out: what opened the region.
    Data* parent = nullptr;
    const int further = task_info(1, nullptr, &parent, nullptr, nullptr, nullptr);
    expect(further == (flags == 2 ? 2 : 0), "task further out");
    write("task", "end", 0, "region", parallel, "task", task, "parent", parent, "members", members, "index",
          index, "flags", flags);
  } else {
    expect((parallel == nullptr) == (flags == 2) && members == 0, "arguments of the end of a task");
    write("task", "end", 1, "task", task, "index", index, "flags", flags);
  }
}
void on_work(int kind, int endpoint, Data* parallel, Data* task, std::uint64_t count, const void* code) {
  expect_task(task, parallel);
  expect(state() == 0 || state() == 1, "state in work");
  write("work", "end", end(endpoint), "kind", kind, "region", parallel, "task", task, "count", count, "code",
        code);
}
void on_dispatch(Data* parallel, Data* task, int kind, Data instance) {
  expect_task(task, parallel);
  const auto* chunk = static_cast<const ompt::Chunk*>(instance.pointer);
  const char* const told = std::getenv("RECORDER_CHUNKS");
  if (told != nullptr && *told == '0') // libomp before 16 passes none
    write("dispatch", "kind", kind, "region", parallel, "task", task);
  else
    write("dispatch", "kind", kind, "region", parallel, "task", task, "start",
          static_cast<std::int64_t>(chunk->start), "iterations", chunk->iterations);
}
void on_sync(int kind, int endpoint, Data* parallel, Data* task, const void* code) {
  write("sync", "end", end(endpoint), "kind", kind, "region", parallel, "task", task, "code", code);
}
void on_wait(int kind, int endpoint, Data* parallel, Data* task, const void* code) {
  write("wait", "end", end(endpoint), "kind", kind, "region", parallel, "task", task, "code", code);
}

// Events that libomp alone tells.
void on_reduction(int kind, int endpoint, Data*, Data*, const void* code) {
  write("reduction", "end", end(endpoint), "kind", kind, "code", code);
}
void on_masked(int endpoint, Data*, Data*, const void* code) {
  write("masked", "end", end(endpoint), "code", code);
}
void on_acquire(int kind, unsigned, unsigned, std::uint64_t, const void* code) {
  write("acquire", "kind", kind, "code", code);
}
void on_acquired(int kind, std::uint64_t, const void* code) { write("acquired", "kind", kind, "code", code); }
void on_cancel(Data*, int, const void* code) { write("cancel", "code", code); }
void on_task_create(Data*, const void*, Data*, int flags, int, const void* code) {
  constexpr int k_initial = 1;
  if ((flags & k_initial) == 0) write("created", "code", code);
}

void ask_for_the_rest() {
  const auto states = entry<int (*)(int, int*, const char**)>("ompt_enumerate_states");
  int found = 0;
  const char* name = nullptr;
  for (int state = 0x102; states(state, &state, &name) != 0 && found < 100; ++found)
    expect(std::strncmp(name, "ompt_state_", 11) == 0, "name of a state");
  expect(found > 3 && found < 100, "states");
  const auto id = entry<std::uint64_t (*)()>("ompt_get_unique_id");
  expect(id() != id(), "ids");
  expect(entry<int (*)()>("ompt_get_num_procs")() > 0, "processors");
  expect(entry<int (*)()>("ompt_get_proc_id")() >= 0, "processor");
  expect(entry<int (*)()>("ompt_get_num_places")() >= 0, "places");
  expect(g_lookup("ompt_nothing") == nullptr, "a function that does not exist");
}

int initialize(ompt::Lookup lookup, int, Data*) {
  g_lookup = lookup;
  const auto set = entry<ompt::SetCallback>("ompt_set_callback");
  const auto get = entry<int (*)(int, ompt::Function*)>("ompt_get_callback");
  const auto hear = [&](int event, int least, auto* function) {
    const auto pointer = reinterpret_cast<ompt::Function>(function);
    expect(set(event, pointer) >= least, "answer to a registration");
    ompt::Function registered = nullptr;
    expect(get(event, &registered) == 1 && registered == pointer, "what is registered");
  };
  constexpr int k_sometimes = 3;
  constexpr int k_always = 5;
  hear(ompt::thread_begin, k_always, on_thread_begin);
  hear(ompt::thread_end, k_sometimes, on_thread_end);
  hear(ompt::parallel_begin, k_always, on_parallel_begin);
  hear(ompt::parallel_end, k_always, on_parallel_end);
  hear(ompt::implicit_task, k_always, on_implicit_task);
  hear(ompt::work, k_sometimes, on_work);
  hear(ompt::dispatch, k_sometimes, on_dispatch);
  hear(ompt::sync_region, k_sometimes, on_sync);
  hear(ompt::sync_region_wait, k_sometimes, on_wait);
  constexpr int k_never = 1;
  ompt::Function none = nullptr;
  if (set(ompt::mutex_acquired, nullptr) == k_never) {
    expect(get(ompt::mutex_acquired, &none) == 0, "an event that never comes");
  } else {
    hear(ompt::reduction, k_sometimes, on_reduction);
    hear(ompt::masked, k_sometimes, on_masked);
    hear(ompt::mutex_acquire, k_sometimes, on_acquire);
    hear(ompt::mutex_acquired, k_sometimes, on_acquired);
    hear(ompt::cancel, k_sometimes, on_cancel);
    hear(ompt::task_create, k_sometimes, on_task_create);
  }
  expect(set(0, nullptr) == 0 && set(1000, nullptr) == 0, "no event");
  ask_for_the_rest();
  return 1;
}

void finalize(Data*) {
  const std::lock_guard guard(seen().lock);
  for (const std::string& line : seen().lines) std::printf("%s\n", line.c_str());
  std::printf(RECORDER_ENDS "\n");
  std::fflush(stdout);
  seen().lines.clear();
}

ompt::StartResult g_result{initialize, finalize, {0}};

} // namespace

extern "C" __attribute__((visibility("default"))) ompt::StartResult* ompt_start_tool(unsigned version,
                                                                                     const char* runtime) {
  return version >= 201611 && runtime != nullptr ? &g_result : nullptr;
}
