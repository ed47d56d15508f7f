// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "elf_file.h"

#include <filesystem>
#include <vector>

namespace wstree::cli {

/// What the symbol tables of a program and of the libraries that it is linked with say about its OpenMP
/// loops. They cannot say which schedule a loop has: that is an argument of the call.
struct LoopCalls {
  bool llvm = false;           ///< calls the loop dispatch of LLVM's libomp
  bool gcc = false;            ///< calls gcc's libgomp
  bool gcc_runtime = false;    ///< and that for a loop with schedule(runtime)
  bool runtime_inside = false; ///< defines the loop dispatch itself: the OpenMP runtime is linked statically
  bool starts_others = false;  ///< may load plugins or start other programs, whose loops cannot be known here
  bool known = true;           ///< false: a file has no dynamic symbol table to read

  LoopCalls& operator|=(const LoopCalls& other);
};

/// Of one file.
LoopCalls loop_calls(const ElfFile& file);

/// Of a dynamic program and everything its loader would load with it. Runs the loader in its listing mode,
/// which executes nothing of the program.
LoopCalls loop_calls_with_libraries(const ElfFile& program, const std::filesystem::path& path);

/// The shared libraries that the loader reports for the program, the loader itself and the vdso excluded.
/// Empty if the loader cannot resolve them; it says so itself when the program is started.
std::vector<std::filesystem::path> loaded_libraries(const std::string& loader,
                                                    const std::filesystem::path& program);

} // namespace wstree::cli
