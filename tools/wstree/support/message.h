// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "visible.h"

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace wstree::cli {

/// Prints one line on stderr, in one write, so that lines of several processes do not mix. Standard output is
/// for the requested text and for the program itself.
template <class... Arguments> void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const auto text = fmt::format(format, std::forward<Arguments>(arguments)...);
  const auto line = fmt::format("wstree: {}\n", visible(text));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

} // namespace wstree::cli
