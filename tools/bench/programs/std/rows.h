// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Algorithms of the standard library under std::execution::par and in sequence. Their backend is chosen when
/// a program is compiled, so that each backend has a program of its own.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {

/// Times and result of one row in one process.
struct Turn {
  double us = -1, plain_us = 0; ///< microseconds of a call, in parallel and in sequence; negative: the
                                ///< process has died
  bool right = true;            ///< the results in parallel and in sequence are equal
};

struct StandardRow {
  std::string name;
  std::size_t size; ///< number of elements
  /// Makes the row's data, and returns a function that takes turns with it: so many passes each.
  std::function<std::function<Turn(int passes)>()> make;
};

/// `largest`: the size of the longest ranges; `work`: of uneven loops, 1 is 19 ms.
std::vector<StandardRow> standard_rows(std::size_t largest, double work);

} // namespace bench
