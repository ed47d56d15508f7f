// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace wstree::cli::bench {

/// No OpenMP runtime has a part in it: the first program that there is stands for all.
void measure_types(Session& session) {
  const auto& setting = session.setting();
  constexpr const char* k_title = "The work-stealing queue and the thread pool";
  for (const auto& runtime : setting.runtimes) {
    std::error_code error;
    if (!std::filesystem::exists(setting.programs.program("types", runtime), error)) continue;
    Arguments arguments;
    if (session.size() == Size::quick) arguments = {"--rounds", "3", "--scale", "0.2"};
    if (session.size() == Size::smoke) arguments = {"--rounds", "1", "--scale", "0.0005"};
    if (setting.only) arguments.insert(arguments.end(), {"--only", *setting.only});
    if (setting.threads) arguments.insert(arguments.end(), {"--threads", std::to_string(*setting.threads)});
    session.run({"types", runtime, k_title, "types", runtime, arguments, false});
    return;
  }
  fmt::print("\n== {}\nnot measured: no compiler of the benchmark has omp.h\n", k_title);
}

} // namespace wstree::cli::bench
