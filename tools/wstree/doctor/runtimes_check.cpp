// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checks.h"

#include <fmt/format.h>

namespace wstree::cli {

Checks check_runtimes(const std::vector<OpenMpRuntime>& runtimes, bool ran) {
  const std::string name = "runtime";
  if (runtimes.empty()) {
    if (ran) {
      return {{name, Status::warn, "no OpenMP runtime was seen in the program",
               "without one nothing runs in parallel, and there is no loop to serve",
               "build it with -fopenmp, or give it arguments with which it uses OpenMP"}};
    }
    return {{name,
             Status::note,
             "the program is linked with no OpenMP runtime",
             "it may load one, or start a program that has one",
             {}}};
  }
  Checks checks;
  for (const auto& runtime : runtimes) {
    const bool llvm = runtime.family == OpenMpRuntime::Family::llvm;
    Check check{name, Status::ok, fmt::format("{} ({})", runtime.file.string(), llvm ? "LLVM" : "gcc")};
    if (runtime.debug_build) {
      check.status = Status::note;
      check.cause = "this is a debug build: with its own dynamic schedules each batch costs 0.4 us and more";
      check.fix = "compare wstree with a release build of it";
    }
    checks.push_back(std::move(check));
  }
  if (runtimes.size() > 1) {
    checks.push_back({name, Status::note, fmt::format("{} OpenMP runtimes in the program", runtimes.size()),
                      "each has threads of its own, which together may be more than the CPUs",
                      "if it is slow, build all parts of it with the same compiler"});
  }
  return checks;
}

} // namespace wstree::cli
