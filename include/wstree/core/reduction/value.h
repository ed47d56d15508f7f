// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value that may not be there.
#pragma once

#include <new>
#include <utility>

namespace wstree::core {

/// Room for a value of any type, and whether the value is there.
struct ValueSlot {
  void* place;
  bool* has_value;
};

/// As std::optional, for code that makes the value in place and notes that afterwards.
template <class T> class Maybe {
public:
  Maybe() noexcept {
#if defined(__GNUC__) && !defined(__clang__)
    // Keeps gcc from warning, in code that uses values, of a value that is absent by has_value().
    asm("" : "=m"(value_));
#endif
  }
  Maybe(const Maybe&) = delete;
  Maybe& operator=(const Maybe&) = delete;
  ~Maybe() { reset(); }

  /// This, for code that does not know the type.
  ValueSlot slot() noexcept { return {&value_, &has_value_}; }
  /// Returns the room for the value, which is not there. set() has to follow when it is.
  void* place() noexcept { return &value_; }
  void set() noexcept { has_value_ = true; }
  bool has_value() const noexcept { return has_value_; }
  T& value() noexcept { return value_; }
  void reset() noexcept {
    if (std::exchange(has_value_, false)) value_.~T();
  }

private:
  bool has_value_ = false;
  union {
    T value_;
  };
};

} // namespace wstree::core
