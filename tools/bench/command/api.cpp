// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace wstree::cli::bench {

void measure_api(Session& session) {
  const auto& setting = session.setting();
  for (const auto& runtime : setting.runtimes) {
    const auto title = fmt::format("The C++ library, {}", runtime);
    if (runtime == "libomp" && !setting.bare) {
      fmt::print("\n== {}\nnot measured: without the library these programs do not run on {}\n", title,
                 setting.libomp.description);
      continue;
    }
    std::error_code error;
    if (!std::filesystem::exists(setting.programs.program("api", runtime), error)) {
      fmt::print("\n== {}\nnot measured: its compiler has no omp.h\n", title);
      continue;
    }
    Arguments arguments;
    if (session.size() == Size::quick)
      arguments = {"--rounds", "3", "--scale", "0.2", "--tries", "40"};
    else if (session.size() == Size::smoke)
      arguments = {"--rounds", "1", "--passes", "1", "--scale", "0.0005", "--tries", "8", "--pause-ms", "0"};
    if (setting.only) arguments.insert(arguments.end(), {"--only", *setting.only});
    if (setting.threads) arguments.insert(arguments.end(), {"--threads", std::to_string(*setting.threads)});
    // Programs that include the header need no library, and have none here.
    session.run({"api", runtime, title, "api", runtime, arguments, false});
  }
}

} // namespace wstree::cli::bench
