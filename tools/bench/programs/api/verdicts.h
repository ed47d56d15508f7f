// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the project asks of its C++ library.
#pragma once
#include "measure/measure.h"
#include "report.h"

namespace bench {

struct ApiVerdict {
  std::string what;
  double value, limit;
};

/// Of the rows that were measured.
std::vector<ApiVerdict> verdicts_on(const ApiReport& report);

} // namespace bench
