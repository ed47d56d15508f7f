// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulated.h"

#include "simulate/command/plan.h"

#include <stdexcept>

namespace wstree::cli::bench {

std::string simulated_workers(bool few) { return few ? "1,2" : "1,2,4,8,16,32,64"; }

Json simulated(SimulateRequest request) {
  request.machine = k_simulated_machine;
  Plan plan;
  if (const auto problem = make_plan(request, plan)) throw std::runtime_error(*problem);
  return Json::parse(simulate_json(Results(plan)));
}

} // namespace wstree::cli::bench
