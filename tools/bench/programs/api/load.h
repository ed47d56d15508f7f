// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Short calls while other threads want the processors.
#pragma once
#include "measure/report.h"

namespace bench {

/// Measures calls of 94 and of 10 us beside so many busy threads, and adds them to the report. Returns false
/// if a result was wrong.
bool measure_beside_load(int busy, int rounds, int calls, Report& report);

} // namespace bench
