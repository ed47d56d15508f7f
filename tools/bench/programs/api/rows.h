// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The rows on which the peers are timed.
#pragma once
#include "peers.h"
#include <string>

namespace bench {

/// A row for one peer: run() is timed, is_right() checks its result.
struct Bound {
  std::function<void()> run; ///< empty: the peer does not have it
  std::function<bool()> is_right{};
  std::function<void()> prepare{}; ///< before a pass, and not timed
};

struct Row {
  std::string name;
  int calls;       ///< in a pass
  bool is_long;    ///< a microsecond or more is no figure that one wants to read
  bool to_one;     ///< compared with the sequential time itself, not with its part of a thread
  bool one_thread; ///< each library has one thread
  /// Holds the row's data as long as one of them lives.
  std::function<Bound(const Peer&)> bind;
};

/// A row that makes its data when it is its turn.
struct RowRecipe {
  std::string name;
  std::function<Row()> make;
};

/// `scale`: of the data's size and of the work; 1 is the reported scale.
std::vector<RowRecipe> all_rows(double scale);

} // namespace bench
