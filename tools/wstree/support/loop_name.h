// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wstree::cli {

/// The widest name of a loop in tables and sentences of any width.
inline constexpr std::size_t k_widest_name = 100;

/// Returns the name of a loop in at most `most` columns: "mesh.hpp:12 sum<...>(...)" for a longer name, and
/// with a gap in the middle if that is too long, too.
std::string folded_name(std::string_view name, std::size_t most = k_widest_name);

} // namespace wstree::cli
