// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "findings.h"

#include <string>

namespace wstree::cli::bench {

struct Comparison {
  std::string text;
  std::size_t better = 0, worse = 0, same = 0, only_before = 0, only_after = 0;
};

/// Returns the values of two documents of results.json that differ by more than their samples spread.
Comparison compare(const Json& before, const Json& after);

/// Reads and compares two files. Returns the exit status.
int compare_files(const std::string& before, const std::string& after);

} // namespace wstree::cli::bench
