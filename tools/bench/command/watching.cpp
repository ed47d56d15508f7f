// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"

#include <fmt/format.h>

namespace wstree::cli::bench {

/// The program alternates between processes by itself.
void measure_watching(Session& session) {
  if (!session.has_library()) {
    fmt::print("\n== What watching costs\nnot measured: there is no library\n");
    return;
  }
  for (const auto& runtime : session.setting().runtimes) {
    Arguments arguments{"--library", session.setting().library.string()};
    if (session.size() == Size::quick) arguments.insert(arguments.end(), {"--rounds", "3", "--turns", "8"});
    if (session.size() == Size::smoke)
      arguments.insert(arguments.end(), {"--rounds", "1", "--turns", "1", "--loops", "5"});
    session.run(
        {"watching", runtime, "What watching costs, " + runtime, "watching", runtime, arguments, false});
  }
}

} // namespace wstree::cli::bench
