// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C library's version of a function that this library defines as well.
#pragma once

#include "resolve/elf_object.h"

#include <atomic>
#include <cerrno>
#include <span>
#include <type_traits>
#include <utility>

namespace wstree::abi {

struct Definition {
  explicit constexpr Definition(const char* function) noexcept : name(function) {}

  SymbolName name;
  std::atomic<void*> address{nullptr};
};

/// Finds the functions that the program would get without this library: for each name the first definition
/// behind this library in the loader's order, which may be in another library that wraps the function. Reads
/// the tables of the objects itself: of the tools that wrap dlsym() some look behind themselves instead of
/// behind us. Does not allocate and leaves errno alone.
void find_next_definitions(std::span<Definition* const> wanted) noexcept;

/// Finds the functions of the C library itself, past all libraries that wrap them: for calls while we are
/// loaded, when those libraries are not initialised yet. Leaves out names that it does not have.
void find_unwrapped(std::span<Definition* const> wanted) noexcept;

template <class Function> class LibcFunction;
template <class Result, class... Args> class LibcFunction<Result(Args...)> : public Definition {
public:
  using Definition::Definition;

  /// Returns `failure` if the C library does not have the function.
  Result operator()(std::type_identity_t<Result> failure, Args... args) {
    // relaxed: the address leads to code only, and the loader mapped that before us.
    void* found = address.load(std::memory_order_relaxed);
    if (found == nullptr) [[unlikely]] { // this call comes before our constructor
      Definition* const self[] = {this};
      find_next_definitions(self);
      found = address.load(std::memory_order_relaxed); // as above
      if (found == nullptr) {
        errno = ENOSYS;
        return failure;
      }
    }
    return reinterpret_cast<Result (*)(Args...)>(found)(std::forward<Args>(args)...);
  }
};

/// getauxval() of the C library itself; `otherwise` if the function is not to be found.
unsigned long auxiliary_value(unsigned long type, unsigned long otherwise) noexcept;

} // namespace wstree::abi
