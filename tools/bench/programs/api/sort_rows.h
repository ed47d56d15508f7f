// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The rows of sorts.
#pragma once
#include "rows.h"

namespace bench {

/// `n`: elements that are no larger than a number.
void add_sort_rows(std::size_t n, std::vector<RowRecipe>& rows);

} // namespace bench
