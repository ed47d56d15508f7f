// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scenarios of one scheduler, WSTREE_SCENARIOS, are those of the program.
#include "scenario.h"

namespace wstree::model {

std::vector<Scenario> tested_scenarios() { return WSTREE_SCENARIOS(); }

} // namespace wstree::model
