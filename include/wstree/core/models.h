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
template <class P> struct WorkerOfModel<P, Model::tree> : std::type_identity<TreeWorker<P>> {};
template <class P> struct WorkerOfModel<P, Model::range> : std::type_identity<RangeWorker<P>> {};
template <class P>
struct WorkerOfModel<P, Model::queue> : std::type_identity<QueueWorker<P, LockFreeQueue>> {};
template <class P>
struct WorkerOfModel<P, Model::queue_lock> : std::type_identity<QueueWorker<P, LockedQueue>> {};
template <class P>
struct WorkerOfModel<P, Model::fixed> : std::type_identity<SelfSchedulingWorker<P, FixedRule>> {};
template <class P>
struct WorkerOfModel<P, Model::guided> : std::type_identity<SelfSchedulingWorker<P, GuidedRule>> {};
template <class P>
struct WorkerOfModel<P, Model::factoring> : std::type_identity<SelfSchedulingWorker<P, FactoringRule>> {};
template <class P>
struct WorkerOfModel<P, Model::trapezoid> : std::type_identity<SelfSchedulingWorker<P, TrapezoidRule>> {};
template <class P> struct WorkerOfModel<P, Model::static_> : std::type_identity<StaticWorker<P>> {};
template <class P, Model model> using WorkerOf = typename WorkerOfModel<P, model>::type;

/// Calls `visit.template operator()<model>()` for the model that is known only at run time: a switch, not a
/// virtual call.
template <class Visit> constexpr decltype(auto) with_model(Model model, Visit&& visit) {
  switch (model) {
  case Model::range:
    return visit.template operator()<Model::range>();
  case Model::queue:
    return visit.template operator()<Model::queue>();
  case Model::queue_lock:
    return visit.template operator()<Model::queue_lock>();
  case Model::fixed:
    return visit.template operator()<Model::fixed>();
  case Model::guided:
    return visit.template operator()<Model::guided>();
  case Model::factoring:
    return visit.template operator()<Model::factoring>();
  case Model::trapezoid:
    return visit.template operator()<Model::trapezoid>();
  case Model::static_:
    return visit.template operator()<Model::static_>();
  case Model::tree:
    break;
  }
  return visit.template operator()<Model::tree>();
}

} // namespace wstree::core
