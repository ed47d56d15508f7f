// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace wstree::names {

/// Whether compilers call functions so that they have made of a part of another one, without a hint which
/// one.
bool is_nameless_part(std::string_view symbol);

/// The function from which the compiler has cut a part: "f" of "f._omp_fn.0" and "f.omp_outlined_debug__.1".
std::string_view without_part(std::string_view symbol);

/// For people: demangled, without result, parameters and the compiler's suffixes.
std::string function_name(std::string_view symbol);

/// The same, but the suffixes stay: they tell parts of one function apart.
std::string symbol_name(std::string_view symbol);

} // namespace wstree::names
