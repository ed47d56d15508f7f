// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "elf_file.h"
#include "loop_forms.h"

#include <filesystem>
#include <string>
#include <vector>

namespace wstree::cli {

/// The facts about a program's OpenMP loops in its symbol tables and in those of the libraries that it is
/// linked with. They show the schedules of gcc's loops, and of LLVM's only that there are some.
struct LoopCalls {
  LoopForms forms = {};
  bool llvm = false;           ///< uses LLVM's OpenMP runtime, for anything
  bool gcc = false;            ///< uses gcc's
  bool runtime_inside = false; ///< defines the loop dispatch itself: the OpenMP runtime is linked statically
  bool starts_others = false;  ///< may load plugins or start other programs, whose loops are not visible here
  bool may_be_static = false;  ///< gcc: calls the functions of static loops, which gcc computes without
                               ///< the runtime
  bool cuts_its_own = false;   ///< gcc has made loops parallel by itself, and cut them into equal parts
  bool sets_schedule = false;  ///< calls omp_set_schedule, by which a program overrides OMP_SCHEDULE
  bool known = true;           ///< false: a file has no dynamic symbol table to read

  /// Returns whether some static loops may be served: the library reads their machine code in the run.
  bool may_be_proven(config::LoopKinds loops) const {
    const bool has_static = (may_be_static && !cuts_its_own) || (llvm && forms.contains(LoopForm::fixed));
    return has_static && loops.has(config::LoopKind::proven);
  }

  LoopCalls& operator|=(const LoopCalls& other);
};

/// Returns the calls of one file.
LoopCalls loop_calls(const ElfFile& file);

struct FileCalls {
  std::filesystem::path file;
  LoopCalls calls;
  std::vector<std::string> static_loops =
      {}; ///< gcc's static loops, by their lines in the source, if they were looked for
};

/// Returns the calls of a dynamic program and of everything its loader would load with it, the program first.
/// Runs the loader in its listing mode, which executes nothing of the program.
std::vector<FileCalls> loop_calls_by_file(const ElfFile& program, const std::filesystem::path& path);
/// Returns the calls of all files together.
LoopCalls sum(const std::vector<FileCalls>& files);

/// Returns the shared libraries that the loader reports for the program, the loader itself and the
/// vdso excluded. Empty if the loader cannot resolve them; it reports the error itself when the
/// program is started.
std::vector<std::filesystem::path> loaded_libraries(const std::string& loader,
                                                    const std::filesystem::path& program);

} // namespace wstree::cli
