// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenMP runtime's own version of a function that this library defines as well.
#pragma once

#include <atomic>

namespace wstree::abi {

/// Address of the next definition of `name`, or nullptr. `caller` is an address in the code that called our version: an
/// OpenMP runtime that was loaded privately (dlopen with RTLD_LOCAL, as plugins do) is visible only from there.
void* next_symbol(const char* name, const void* caller) noexcept;

/// A function of the runtime, looked up at its first use. Any thread.
template <class Function> class Next;
template <class Result, class... Args> class Next<Result(Args...)> {
public:
  using Pointer = Result (*)(Args...);

  constexpr explicit Next(const char* name) noexcept : name_(name) {}

  /// nullptr if the runtime does not have it (a later call looks again: the runtime may be loaded later).
  Pointer find(const void* caller) noexcept {
    // relaxed: an address of code, and everybody who looks finds the same one.
    void* known = address_.load(std::memory_order_relaxed);
    if (known == nullptr) [[unlikely]] {
      known = next_symbol(name_, caller);
      address_.store(known, std::memory_order_relaxed); // as above
    }
    return reinterpret_cast<Pointer>(known);
  }

private:
  const char* name_;
  std::atomic<void*> address_{nullptr};
};

} // namespace wstree::abi
