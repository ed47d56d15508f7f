// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C library's version of a function that this library defines as well.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace wstree::abi {

struct Definition {
  explicit constexpr Definition(const char* function) noexcept : name(function) {
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      gnu_hash = gnu_hash * 33 + byte;
      old_hash = (old_hash << 4) + byte;
      old_hash = (old_hash ^ (old_hash >> 24 & 0xf0U)) & 0x0fffffffU;
    }
  }

  std::string_view name;
  std::uint32_t gnu_hash = 5381; // as the linker computes them for an object's table of symbols
  std::uint32_t old_hash = 0;
  std::atomic<void*> address{nullptr};
};

/// Finds what the program would get if this library were not there: for each name the first definition behind
/// it in the loader's order, which may be that of another library that wraps the function. Reads the tables
/// of the loaded objects itself. dlsym() would need an initialised C library to report a failure, leaves the
/// report for the program's next dlerror(), and is itself wrapped by some tools, which then look behind
/// themselves instead of behind us. Does not allocate and leaves errno alone.
void find_next_definitions(std::span<Definition* const> wanted) noexcept;

template <class Function> class NextDefinition;
template <class Result, class... Args> class NextDefinition<Result(Args...)> : public Definition {
public:
  explicit constexpr NextDefinition(const char* function) noexcept : Definition(function) {}

  /// `failure` if there is none, which is to say that the C library does not have it.
  Result operator()(std::type_identity_t<Result> failure, Args... args) {
    // relaxed: leads to nothing but code, which was there before us.
    void* found = address.load(std::memory_order_relaxed);
    if (found == nullptr) [[unlikely]] { // somebody runs before our constructor
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

} // namespace wstree::abi
