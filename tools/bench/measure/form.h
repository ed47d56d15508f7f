// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The ways in which a loop is written.
#pragma once

namespace bench {

enum class Form { runtime, steal_1, steal_64, tbb_auto, tbb_affinity, tbb_static, tbb_simple };

} // namespace bench
