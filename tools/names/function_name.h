// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace wstree::names {

/// Returns whether compilers give this name to functions that they cut out of another function, without a
/// hint which function that was.
bool is_nameless_part(std::string_view symbol);

/// Returns the function from which the compiler has cut a part: "f" of "f._omp_fn.0"
/// and "f.omp_outlined_debug__.1".
std::string_view without_part(std::string_view symbol);

/// Returns the name for people: demangled, without result, parameters and the compiler's suffixes.
std::string function_name(std::string_view symbol);

/// Returns the function's name with its suffixes, which differ between the parts of one function.
std::string symbol_name(std::string_view symbol);

} // namespace wstree::names
