// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace wstree::cli {

enum class Severity {
  detail,    ///< said with --verbose only
  doubt,     ///< speaks against a loop being served, but proves nothing; said with --verbose, or if --require
             ///< fails
  always,    ///< said always; the program runs as wished
  unserved,  ///< said always: no loop of this program can be served. An error with --require
  cannot_run ///< the program cannot be executed, or not together with the library
};

struct Finding {
  Severity severity;
  std::string text; ///< what was found, what it means, what to do
};

struct Preflight {
  std::vector<Finding> findings;
  bool preload = true; ///< false: the program would not start with the library in its environment
};

/// Looks at a program that was found and may be executed. `libraries_too` also reads the symbols of the
/// libraries that it is linked with, which costs a run of the dynamic loader. With `require`, a program in
/// which no loop can be served is reported as unserved, provided that it cannot load or start anything else.
struct Wishes {
  bool libraries_too = false;
  bool require = false;
};

Preflight inspect(const std::filesystem::path& program, const std::filesystem::path& library, Wishes wishes);

} // namespace wstree::cli
