// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenMP runtime's own version of a function that this library defines as well.
#pragma once

#include "export.h"
#include "resolve/binding.h"
#include "resolve/callers.h"

struct ident_t;

namespace wstree::abi {

/// Ends the process as the loader does if a program calls a function that no library has. To go on would
/// leave out a loop or a region without a word.
[[noreturn]] void fail_for_want_of(const char* name) noexcept;

/// The runtime's function that we stand in front of. `caller` is an address in the code that asks: the object
/// that has it tells which runtime answers. Any thread, without locks or memory of the C library.
template <class Type> class Real;
template <class Result, class... Args> class Real<Result(Args...)> {
public:
  using Pointer = Result (*)(Args...);

  /// `optional`: not every runtime has it, and we remember that too.
  constexpr explicit Real(const char* name, bool optional = false,
                          Function::Of of = Function::Of::caller) noexcept
      : function_(name, optional, of) {}

  /// Returns the runtime's own function if the code at `caller` is in the runtime and that is remembered;
  /// else nullptr.
  [[gnu::always_inline]] Pointer known_to_runtime(const void* caller) const noexcept {
    return reinterpret_cast<Pointer>(find_known_to_runtime(function_, caller));
  }

  /// Returns the function for the code at `caller`; nullptr if the runtime does not have it.
  [[gnu::always_inline]] Pointer find(const void* caller) noexcept {
    return reinterpret_cast<Pointer>(find_for(function_, caller));
  }

  /// Returns the function, which the program cannot do without.
  [[gnu::always_inline]] Pointer require(const void* caller) noexcept {
    const Pointer found = find(caller);
    if (found == nullptr) [[unlikely]]
      fail_for_want_of(function_.name);
    return found;
  }

  /// Does so while no schedule of ours is asked for; `code`: see look_up_when_idle().
  Pointer require_when_idle(const void* code, const void* caller) noexcept {
    const auto found = reinterpret_cast<Pointer>(look_up_when_idle(function_, code, caller));
    if (found == nullptr) fail_for_want_of(function_.name);
    return found;
  }

  /// Returns the code that calls us through a door, which stands for the code of all that do; without one,
  /// that of the object which calls and would return to `caller`.
  [[gnu::always_inline]] const void* caller_at(unsigned door, const void* caller) noexcept {
    if (door == 0) return code_that_calls(function_, caller);
    const void* const home = g_homes[door].load(std::memory_order_relaxed);
    if (!g_first_caller.holds(caller)) return home;
    return g_first_home.load(std::memory_order_relaxed) == home ? caller
                                                                : home; // `caller`: its look-up is shorter
  }

private:
  Function function_;
};

/// Returns an address in the object that a call is about, by an argument: an outlined function, or a place in
/// the source. nullptr: the argument has none.
template <class Arg> const void* code_in(Arg) noexcept { return nullptr; }
inline const void* code_in(ident_t* location) noexcept { return location; }
template <class Result, class... Args> const void* code_in(Result (*function)(Args...)) noexcept {
  return reinterpret_cast<const void*>(function);
}
template <class Result, class... Args> const void* code_in(Result (*function)(Args..., ...)) noexcept {
  return reinterpret_cast<const void*>(function);
}
template <class... Args> const void* code_among(Args... args) noexcept {
  const void* code = nullptr;
  ((code = code != nullptr ? code : code_in(args)), ...);
  return code;
}

/// Ends an exported function while no schedule of ours is asked for: calls the runtime's function by a jump,
/// without a frame of its own. An object does that once.
template <auto& real, class... Args> WSTREE_SAME_CALLER inline auto hand_over(Args... args) {
  return real.require_when_idle(code_among(args...), WSTREE_CALLER)(args...);
}

/// Makes a question about the regions of the code that calls.
template <class Type> constexpr Real<Type> question(const char* name) noexcept {
  return Real<Type>(name, true, Function::Of::regions);
}

} // namespace wstree::abi
