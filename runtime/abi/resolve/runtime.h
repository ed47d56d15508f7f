// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenMP runtime's own version of a function that this library defines as well.
#pragma once

#include <atomic>
#include <cstdint>

namespace wstree::abi {

/// Every OpenMP runtime defines this function. Tools that wrap single functions do not.
inline constexpr const char* k_runtime_function = "omp_get_num_threads";

/// What the code of one loaded object gets for a name. Nobody ever changes or frees it.
struct Binding {
  std::uintptr_t begin; // of the object in memory
  std::uintptr_t size;
  void* address; // nullptr: there is no other definition
  const Binding* older;
  const void* list; // that holds it: there is one for each name

  bool is_for(const void* caller) const noexcept {
    return reinterpret_cast<std::uintptr_t>(caller) - begin < size;
  }
};

/// Address of the other definition of `name` that the object around `caller` would have got: the loader asks
/// the objects that all see, in their order, and then those that this object was linked with or brought along
/// (a plugin may load a runtime that only the plugin sees: dlopen with RTLD_LOCAL).
void* real_symbol(const char* name, const void* caller) noexcept;

/// The same for what we ask about the regions of the code at `caller`: of the runtime that these regions are
/// in. In the loader's order another one may come first, which has no entries for code of that compiler.
/// nullptr too if the object has regions in two runtimes: nobody can say which of them to ask.
void* symbol_of_regions(const char* name, const void* caller) noexcept;

using Resolve = void*(const char* name, const void* caller) noexcept;

/// Looks `name` up for the object that holds `caller`. Adds the binding to `list`, unless there is no memory,
/// or no such function and it is not `optional`.
void* bind(const char* name, const void* caller, std::atomic<const Binding*>& list, bool optional,
           Resolve* resolve) noexcept;

/// The binding of the object around `caller` among those in the list behind `latest`; nullptr: there is none.
/// Remembers what it has found: in a process of hundreds of modules a walk along the list takes microseconds,
/// and every region, loop and batch of the runtime asks.
const Binding* find_older(const Binding& latest, const void* caller) noexcept;

/// Whether the object that holds `address` defines `name`.
bool is_beside(const void* address, const char* name) noexcept;

/// Ends the process as the loader does if a program calls a function that no library has. To go on would
/// leave out a loop or a region without a word.
[[noreturn]] void fail_for_want_of(const char* name) noexcept;

/// The runtime's function that we stand in front of. We look it up once for each object that calls it. Any
/// thread.
template <class Function> class Real;
template <class Result, class... Args> class Real<Result(Args...)> {
public:
  using Pointer = Result (*)(Args...);

  /// `optional`: not every runtime has it, and we remember that too.
  constexpr explicit Real(const char* name, bool optional = false, Resolve* resolve = real_symbol) noexcept
      : name_(name), optional_(optional), resolve_(resolve) {}

  /// What the code at `caller` gets; nullptr if the runtime does not have it.
  Pointer find(const void* caller) noexcept {
    if (const Binding* known = binding_for(caller)) return reinterpret_cast<Pointer>(known->address);
    return reinterpret_cast<Pointer>(bind(name_, caller, bindings_, optional_, resolve_));
  }

  /// The same for a function that the program cannot do without.
  Pointer require(const void* caller) noexcept {
    const Pointer found = find(caller);
    if (found == nullptr) [[unlikely]]
      fail_for_want_of(name_);
    return found;
  }

  /// Whether `caller` is in the very object that provides the function: a runtime that calls itself. find()
  /// has to know the caller already.
  bool is_providers_own(const void* caller) const noexcept {
    const Binding* known = binding_for(caller);
    return known != nullptr && known->is_for(known->address);
  }

  /// The latest binding; nullptr before the first one.
  const Binding* latest() const noexcept {
    // acquire: pairs with the release in bind(), so that the binding and those behind it are complete.
    return bindings_.load(std::memory_order_acquire);
  }

private:
  const Binding* binding_for(const void* caller) const noexcept {
    const Binding* known = latest();
    // Most processes have one object that calls.
    return known == nullptr || known->is_for(caller) ? known : find_older(*known, caller);
  }

  const char* name_;
  bool optional_;
  Resolve* resolve_;
  std::atomic<const Binding*> bindings_{nullptr};
};

/// A question about the regions of the code that calls.
template <class Function> constexpr Real<Function> question(const char* name) noexcept {
  return Real<Function>(name, true, symbol_of_regions);
}

} // namespace wstree::abi
