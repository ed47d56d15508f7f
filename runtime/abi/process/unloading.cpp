// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that a program closes. Until then this library remembers the functions that their code has called
// (resolve/callers.h). It forgets them, and the object goes; the costs of loops may serve as a guess for
// other code at the same address. With statistics, recordings, traces or rules the object stays, because they
// name loops by the addresses of its code, and with static loops that are executed piece by piece, because so
// are the proofs of their functions. The runtime that an object has brought along stays in any case.
#include "export.h"
#include "process/session.h"
#include "resolve/binding.h"
#include "resolve/callers.h"
#include "resolve/libc.h"

#include <dlfcn.h>

#include <atomic>

namespace {

using namespace wstree::abi;

constinit LibcFunction<int(void*)> g_dlclose{"dlclose"};

// The loader has begun to finalise objects, and would initialise one again that is opened now, if only to
// keep it. relaxed: a thread that reads it late is one that called dlclose() before the program ended.
constinit std::atomic<bool> g_ends{false};

[[gnu::destructor]] void end() noexcept { g_ends.store(true, std::memory_order_relaxed); }

/// Returns whether code is known by its address for longer than a region.
bool names_code() noexcept {
  const Session* const ready = g_session.load(std::memory_order_acquire); // as in session()
  return ready != nullptr && (ready->measured || ready->repeats);
}

void keep(const char* path) noexcept {
  if (void* const handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)) g_dlclose(-1, handle);
}

} // namespace

extern "C" WSTREE_EXPORT int dlclose(void* handle) noexcept {
  if (!has_callers() || g_ends.load(std::memory_order_relaxed)) return g_dlclose(-1, handle);
  keep_runtimes(keep);
  if (names_code())
    keep_callers(keep);
  else
    forget_callers();
  const int result = g_dlclose(-1, handle);
  forget_callers(); // the callers that destructors have made known
  forget_runtimes();
  close_doors();
  return result;
}
