// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

namespace wstree::observe {

/// The parts of a compiler's text ";file;function;line;column;;"; empty and 0 if the text lacks them.
struct SourceText {
  std::string_view file, function;
  std::uint64_t line = 0;
};

/// `psource` may be null. The result points into it. No line: no file either.
SourceText read_source_text(const char* psource) noexcept;

} // namespace wstree::observe
