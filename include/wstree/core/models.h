// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All models together, for code that works with any of them.
#pragma once

#include "wstree/core/queue/worker.h"
#include "wstree/core/range/worker.h"
#include "wstree/core/self_scheduling/static_worker.h"
#include "wstree/core/self_scheduling/worker.h"
#include "wstree/core/tree/tree_worker.h"

namespace wstree::core {

/// The worker of each model.
template <class P, Model model> struct WorkerOfModel;
#define WSTREE_WORKER(model, word, in_order, text, ...)                                                      \
  template <class P> struct WorkerOfModel<P, Model::model> : std::type_identity<__VA_ARGS__> {};
WSTREE_KINDS(WSTREE_WORKER)
#undef WSTREE_WORKER
template <class P, Model model> using WorkerOf = typename WorkerOfModel<P, model>::type;
#define WSTREE_SCHEDULES(model, ...) &&Scheduler<WorkerOf<StdPlatform, Model::model>>
static_assert(true WSTREE_KINDS(WSTREE_SCHEDULES));
#undef WSTREE_SCHEDULES

/// Calls `visit.template operator()<model>()` for the model that is known only at run time: a switch, not a
/// virtual call.
template <class Visit> constexpr decltype(auto) with_model(Model model, Visit&& visit) {
  switch (model) {
#define WSTREE_CASE(known, ...)                                                                              \
  case Model::known:                                                                                         \
    return visit.template operator()<Model::known>();
    WSTREE_KINDS(WSTREE_CASE)
#undef WSTREE_CASE
  }
  __builtin_unreachable();
}

} // namespace wstree::core
