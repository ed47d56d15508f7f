// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs with both OpenMP runtimes, with the library and without it.
#pragma once

#include "process.h"

namespace wstree::test {

/// The output of a program, with the schedule that the environment asks for as `dynamic`.
inline std::string seen(const Outcome& outcome) {
  std::string text = outcome.text();
  for (const std::string_view asked : {"schedule 77 1 ", "schedule 80000002 1 "})
    for (std::size_t at = 0; (at = text.find(asked)) != std::string::npos;)
      text.replace(at, asked.size(), "schedule 2 1 ");
  return text;
}

inline constexpr std::string_view k_fails_natively = "without the library: ";

/// Runs `program` without the library, with an idle one, and served. Returns how the outputs differ; empty if
/// they are equal, k_fails_natively and the output if the first run fails. The C library overwrites memory
/// that is freed, so that a read of it fails every time.
inline std::string difference_with_library(Program program) {
  program.set("MALLOC_PERTURB_", "85");
  const Outcome native = program.set("OMP_SCHEDULE", "dynamic,1").run();
  if (!native.succeeded()) return std::string(k_fails_natively) + native.text();
  const Outcome idle = program.preload().run();
  if (idle.text() != native.text()) return "idle: " + idle.text() + "\nwithout the library: " + native.text();
  const Outcome served = program.set("OMP_SCHEDULE", "wstree").run();
  if (seen(served) != seen(native))
    return "served: " + seen(served) + "\nwithout the library: " + seen(native);
  return {};
}

} // namespace wstree::test
