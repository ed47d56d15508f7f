// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of wstree.h.
#include "export.h"
#include "frame.h"
#include "process/request.h"
#include "process/session.h"
#include "statistics.h"
#include "version.h"

#include "wstree/wstree.h"

#include <algorithm>
#include <cstddef>

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

WSTREE_EXPORT void wstree_hint(int kind, int chunk) {
  using namespace wstree;
  abi::t_hint = {};
  const auto own = abi::own_kind(kind);
  if (!own || !abi::activate()) return;
  if (!abi::session().options.loops.any()) return;
  const int most = static_cast<int>(config::k_max_chunk);
  abi::t_hint.set_schedule(*own, static_cast<std::uint64_t>(std::clamp(chunk, 0, most)));
}

WSTREE_EXPORT std::size_t wstree_statistics_json(char* buffer, std::size_t size) {
  return wstree::abi::statistics_as_json(buffer, size);
}

WSTREE_EXPORT unsigned long long wstree_loops_served() { return wstree::observe::executions_recorded(); }
}
