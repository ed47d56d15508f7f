// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

namespace wstree::observe {

/// What the text ";file;function;line;column;;" of a compiler says; empty and 0 where it says nothing.
struct SourceText {
  std::string_view file, function;
  std::uint64_t line = 0;
};

/// `psource` may be null. The result points into it. No line: no file either.
SourceText read_source_text(const char* psource) noexcept;

} // namespace wstree::observe
