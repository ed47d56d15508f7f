// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenMP runtime's own version of a function that this library defines as well.
#pragma once

#include "export.h"
#include "resolve/callers.h"

namespace wstree::abi {

/// Ends the process as the loader does if a program calls a function that no library has. To go on would
/// leave out a loop or a region without a word.
[[noreturn]] void fail_for_want_of(const char* name) noexcept;

/// The runtime's function that we stand in front of. Any thread, without locks or memory of the C library.
template <class Type> class Real;
template <class Result, class... Args> class Real<Result(Args...)> {
public:
  using Pointer = Result (*)(Args...);

  /// `optional`: not every runtime has it, and we remember that too.
  constexpr explicit Real(const char* name, bool optional = false,
                          Function::Of of = Function::Of::caller) noexcept
      : function_(name, optional, of) {}

  /// What the code at `caller` gets, if that is remembered; else nullptr.
  [[gnu::always_inline]] Pointer known(const void* caller) const noexcept {
    return reinterpret_cast<Pointer>(find_known(function_, caller));
  }

  /// The runtime's own function if the code at `caller` is in the runtime and that is remembered;
  /// else nullptr.
  [[gnu::always_inline]] Pointer known_to_runtime(const void* caller) const noexcept {
    return reinterpret_cast<Pointer>(find_known_to_runtime(function_, caller));
  }

  /// What the code at `caller` gets; nullptr if the runtime does not have it.
  [[gnu::always_inline]] Pointer find(const void* caller) noexcept {
    return reinterpret_cast<Pointer>(find_for(function_, caller));
  }

  /// The same for a function that the program cannot do without.
  [[gnu::always_inline]] Pointer require(const void* caller) noexcept {
    const Pointer found = find(caller);
    if (found == nullptr) [[unlikely]]
      fail_for_want_of(function_.name);
    return found;
  }

private:
  Function function_;
};

template <auto& real, class... Args> WSTREE_SAME_CALLER inline auto hand_over_at_first(Args... args) {
  return real.require(WSTREE_CALLER)(args...);
}
/// What an exported function does while no schedule of ours is asked for, as the last thing: calls the
/// runtime's function by a jump, without a frame of its own.
template <auto& real, class... Args> [[gnu::always_inline]] inline auto hand_over(Args... args) {
  if (const auto known = real.known(WSTREE_CALLER)) [[likely]]
    return known(args...);
  return hand_over_at_first<real>(args...);
}

/// A question about the regions of the code that calls.
template <class Type> constexpr Real<Type> question(const char* name) noexcept {
  return Real<Type>(name, true, Function::Of::regions);
}

} // namespace wstree::abi
