// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"

#include <fmt/format.h>

#include <algorithm>

namespace wstree::cli::bench {

/// gcc cuts static loops in the program itself, so that there is one of libomp only.
void measure_static(Session& session) {
  const auto& setting = session.setting();
  constexpr const char* k_title = "Static loops that balance themselves";
  if (!session.has_library() || std::ranges::find(setting.runtimes, "libomp") == setting.runtimes.end()) {
    fmt::print("\n== {}\nnot measured: {}\n", k_title,
               session.has_library() ? "libomp is not among the runtimes" : "there is no library");
    return;
  }
  Arguments arguments;
  if (session.size() == Size::quick) arguments = {"--executions", "100"};
  if (session.size() == Size::smoke) arguments = {"--executions", "8", "--us", "20"};
  if (setting.only) arguments.insert(arguments.end(), {"--only", *setting.only});
  if (setting.threads) arguments.insert(arguments.end(), {"--threads", std::to_string(*setting.threads)});
  Session::Start start{"static", "libomp",  k_title, "static",
                       "libomp", arguments, true,    {"WSTREE_LOOPS=static"}};
  session.run(start);
}

} // namespace wstree::cli::bench
