// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"

#include <fmt/format.h>

namespace wstree::cli::bench {

/// The program alternates between processes by itself.
void measure_taskloops(Session& session) {
  const auto& setting = session.setting();
  if (!session.has_library()) {
    fmt::print("\n== Taskloops\nnot measured: there is no library\n");
    return;
  }
  for (const auto& runtime : setting.runtimes) {
    Arguments arguments{"--library", setting.library.string()};
    if (session.size() == Size::quick)
      arguments.insert(arguments.end(), {"--rounds", "1", "--executions", "3"});
    if (session.size() == Size::smoke)
      arguments.insert(arguments.end(), {"--rounds", "1", "--executions", "1", "--us", "20"});
    if (setting.only) arguments.insert(arguments.end(), {"--only", *setting.only});
    if (setting.threads) arguments.insert(arguments.end(), {"--threads", std::to_string(*setting.threads)});
    session.run({"taskloop", runtime, "Taskloops, " + runtime, "taskloop", runtime, arguments, false});
  }
}

} // namespace wstree::cli::bench
