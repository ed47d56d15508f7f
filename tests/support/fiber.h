// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fibers of the simulator, for tests.
#pragma once

#include "../../tools/simulate/engine/fiber.h"

namespace wstree::test {
using simulate::Fiber;
} // namespace wstree::test
