// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's voice. It lives in another program's process, where file descriptor 2 may be closed and may
// since have become a data file of the program: so it writes only to the file that was stderr when the
// library was loaded.
#pragma once

#include <string_view>

#include "options.h"

namespace wstree::observe {

/// Remembers which file stderr is. Call once while the library is loaded, before its other functions; until
/// then and if stderr is closed at that time nothing is ever written. Preserves errno. Not thread-safe.
void remember_stderr() noexcept;

/// 2 if descriptor 2 is still the file that remember_stderr() saw, else -1. Preserves errno.
int stderr_descriptor() noexcept;

/// Writes `line` and a newline to stderr with one system call, which keeps lines of several processes apart;
/// ? stands for each byte that is no UTF-8 or a control character, but for tabs. Never fails visibly: gives
/// up silently if stderr is gone, stays full, or has no reader. Does not raise SIGPIPE, is no cancellation
/// point, preserves errno. Any thread.
void say(std::string_view line) noexcept;

/// Returns a sink that hands lines to say(), for config::load() and config::display().
config::LineSink stderr_lines() noexcept;

} // namespace wstree::observe
