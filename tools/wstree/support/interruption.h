// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace wstree::cli {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP is noted and does not end the process; a second one of
/// that kind does. One at a time.
class Interruption {
public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool has_come();
};

} // namespace wstree::cli
