// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "elf_file.h"
#include "options.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace wstree::cli {

enum class Severity {
  detail, ///< printed with --verbose only
  /// Speaks against a loop being served, but proves nothing; printed with --verbose, or if --require fails.
  doubt,
  /// Proves that no loop will be served; printed on a terminal, with --stats or --verbose, or if --require
  /// fails for it.
  hint,
  remark,    ///< printed likewise; the program runs as wished
  always,    ///< printed always; likewise
  unserved,  ///< printed always: no loop of this program can be served. An error with --require
  cannot_run ///< the program cannot be executed, or not together with the library
};

struct Finding {
  Severity severity;
  std::string found; ///< state that was found
  std::string cause; ///< meaning of that; may be empty
  std::string fix;   ///< remedy; may be empty

  /// Returns all of it in one line.
  [[nodiscard]] std::string text() const;
};

struct Preflight {
  std::vector<Finding> findings;
  bool preload = true; ///< false: with the library in its environment the program would not start, or its own
                       ///< OpenMP runtime would not understand the library's schedule

  /// The dynamic program that will run, if there is one and it can be preloaded into: the named program or
  /// the interpreter of that script.
  std::filesystem::path program;
  bool is_interpreter = false;
  bool only_proven = false; ///< only loops whose machine code is proven can be served
};

/// Looks at a file that was found and may be executed, but not at its loops.
Preflight inspect_file(const std::filesystem::path& program, const std::filesystem::path& library);

struct Wishes {
  bool require = false; ///< a program in which no loop can be served is unserved, provided that it cannot
                        ///< load or start anything else
  config::LoopKinds loops = {}; ///< WSTREE_LOOPS of the run
};

/// Inspects the program, and its loops too.
Preflight inspect(const std::filesystem::path& program, const std::filesystem::path& library, Wishes wishes);

} // namespace wstree::cli
