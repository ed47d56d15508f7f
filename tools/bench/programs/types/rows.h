// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the public types that are measured, and the libraries that have them.
#pragma once

#include "wstree/types/thread_pool.h"
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// One operation, by each library that has it.
struct Row {
  struct Peer {
    std::string name;
    std::function<std::uint64_t()> run; ///< returns the number that has to be `expected`
  };
  std::string name;
  std::uint64_t operations; ///< operations of one run
  std::uint64_t expected;
  std::vector<Peer> peers;
  double most_ns;    ///< goal for wstree; 0: none
  double most_ratio; ///< and in units of the best other library; 0: nothing
};

/// `scale`: of the number of operations.
void add_queue_rows(std::vector<Row>& rows, double scale);
/// The pool has its threads before and after.
void add_pool_rows(std::vector<Row>& rows, wstree::thread_pool& pool, double scale);

} // namespace bench
