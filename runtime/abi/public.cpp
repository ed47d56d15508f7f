// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of wstree.h.
#include "export.h"
#include "frame.h"
#include "process/request.h"
#include "statistics.h"
#include "version.h"

#include "wstree/wstree.h"

extern "C" {

WSTREE_EXPORT const char* wstree_version() { return wstree::abi::k_version; }

WSTREE_EXPORT int wstree_is_active() {
  return wstree::abi::active() && wstree::abi::task_schedule(WSTREE_CALLER).ours ? 1 : 0;
}

WSTREE_EXPORT void wstree_label(const char* text) {
  using namespace wstree;
  abi::t_label = nullptr;
  if (text == nullptr || !abi::active()) return;
  const abi::Session& process = abi::session();
  if (process.measured || process.rules != nullptr) abi::t_label = observe::find_label(text);
}

WSTREE_EXPORT unsigned long long wstree_loops_served() { return wstree::observe::executions_recorded(); }
}
