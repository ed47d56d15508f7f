// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtimes of sanitizers. They replace functions of the C library and want to be the first library of the
// process; the address sanitizer's ends the program if it is not.
#pragma once

#include "elf_file.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

/// Returns whether `library` is a sanitizer's runtime, of gcc or clang: a path, or a name as programs are
/// linked with.
bool is_sanitizer(std::string_view library);

/// Returns the sanitizers that the program is linked with, in its order: their paths, or their names if the
/// loader does not find them.
std::vector<std::string> sanitizers_of(const std::filesystem::path& program);

} // namespace wstree::cli
