// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tool of libgomp, from its beginning to its end.
#include "message.h"
#include "ompt/find_tool.h"
#include "ompt/threads.h"
#include "process/session.h"
#include "resolve/loaded_objects.h"
#include "resolve/omp_queries.h"
#include "tokens.h"

#include <cerrno>
#include <cstdlib>

namespace wstree::abi::ompt {

constinit pthread_key_t g_thread_key = 0;

namespace {

constexpr unsigned k_version = 202111; // OpenMP 5.2: the version of OMPT for tools, not that of the runtime
constexpr const char* k_name = "libwstree for libgomp";

constinit StartResult* g_result = nullptr; // written while the tool begins
constinit pthread_once_t g_once = PTHREAD_ONCE_INIT;
constinit std::atomic<const void*> g_code{nullptr}; // relaxed: any code will do
constinit std::atomic<bool> g_is_over{false};       // relaxed: only one thread gets false back
constinit thread_local bool t_begins_tool __attribute__((tls_model("initial-exec"))) = false;

/// Returns whether the runtime around `address` has OMPT. A thread mostly asks again for the runtime that it
/// asked for last.
bool has_ompt(const void* address) noexcept {
  struct Answer {
    const void* address;
    bool has_ompt;
  };
  static constinit thread_local Answer last __attribute__((tls_model("initial-exec"))) = {nullptr, false};
  if (last.address != address) {
    const ElfObject runtime = object_around(address).tables;
    last = {address, runtime.exists() && runtime.find(SymbolName("ompt_start_tool")) != nullptr};
  }
  return last.has_ompt;
}

bool is_disabled() noexcept {
  const char* wish = std::getenv("OMP_TOOL");
  return wish != nullptr && config::same_word(config::trim(wish), "disabled");
}

bool begin_tool() noexcept {
  if (is_disabled() || pthread_key_create(&g_thread_key, end_thread) != 0) return false;
  g_result = start_loaded_tool(k_version, k_name);
  if (g_result == nullptr) g_result = start_listed_tool(k_version, k_name);
  if (g_result == nullptr || g_result->initialize(&look_up_ours, 0, &g_result->tool) == 0) return false;
  // Registered after the tool's functions, and therefore run before them.
  if (std::atexit(finalize_tool) == 0) return true;
  finalize_tool();
  return false;
}

void begin_tool_once() noexcept {
  const int saved_errno = errno;
  t_begins_tool = true; // the tool may call functions of OpenMP
  const bool begun = begin_tool();
  t_begins_tool = false;
  want_tool(begun && !g_is_over.load(std::memory_order_relaxed)); // the tool may have ended itself
  if (session().options.verbose)
    observe::say(begun ? "wstree: OMPT: a tool listens"
                       : "wstree: OMPT: there is no tool, or it is disabled");
  errno = saved_errno;
}

} // namespace

const void* told_code() noexcept { return g_code.load(std::memory_order_relaxed); }

bool tool_listens_to(const void* caller) noexcept {
  const auto get_level = g_get_level.find(caller);
  if (get_level == nullptr || t_begins_tool || has_ompt(reinterpret_cast<const void*>(get_level)))
    return false;
  if (told_code() == nullptr) g_code.store(caller, std::memory_order_relaxed);
  pthread_once(&g_once, begin_tool_once);
  return wants_tool();
}

void finalize_tool() noexcept {
  if (g_is_over.exchange(true, std::memory_order_relaxed)) return;
  if (t_thread != nullptr) tell_end_of(*t_thread);
  want_tool(false);
  g_told_by_us.clear();
  g_result->finalize(&g_result->tool);
}

} // namespace wstree::abi::ompt
