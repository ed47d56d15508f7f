// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of constructors with wrong arguments: an exception, or without exceptions the end of the program.
#pragma once

#include <cstdlib>
#include <stdexcept>

namespace wstree {
inline namespace v1 {
namespace detail {

[[noreturn]] inline void refuse_argument([[maybe_unused]] const char* why) {
#if defined(__cpp_exceptions)
  throw std::invalid_argument(why);
#else
  std::abort();
#endif
}

[[noreturn]] inline void refuse_length([[maybe_unused]] const char* why) {
#if defined(__cpp_exceptions)
  throw std::length_error(why);
#else
  std::abort();
#endif
}

} // namespace detail
} // namespace v1
} // namespace wstree
