// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sentences about the code that always hold. Builds with WSTREE_ASSERTIONS, as preset `dev` is, check them,
// and end the process where one does not hold; in all other builds nothing of them is left.
#pragma once

#if defined(WSTREE_ASSERTIONS)

#include <cstdio>
#include <cstdlib>

namespace wstree::core {

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_assertion(const char* what, const char* file,
                                                                  int line) noexcept {
  std::fprintf(stderr, "wstree: %s:%d: %s does not hold\n", file, line, what);
  std::abort();
}

} // namespace wstree::core

#define WSTREE_ASSERT(condition)                                                                             \
  (static_cast<bool>(condition) ? void() : ::wstree::core::fail_assertion(#condition, __FILE__, __LINE__))

namespace wstree::core {

/// A guard of an object that is private to its member: notices a second thread in it. Threads may take turns.
class OneThread {
public:
  class Inside {
  public:
    explicit Inside(OneThread& object) noexcept : object_(object) {
      WSTREE_ASSERT(!__atomic_load_n(&object_.is_inside_, __ATOMIC_RELAXED));
      __atomic_store_n(&object_.is_inside_, true, __ATOMIC_RELAXED);
    }
    ~Inside() {
      WSTREE_ASSERT(__atomic_load_n(&object_.is_inside_, __ATOMIC_RELAXED));
      __atomic_store_n(&object_.is_inside_, false, __ATOMIC_RELAXED);
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

  private:
    OneThread& object_;
  };

private:
  bool is_inside_ = false;
};

} // namespace wstree::core

#else

#define WSTREE_ASSERT(condition) static_cast<void>(0)

namespace wstree::core {

class OneThread {
public:
  struct Inside {
    explicit constexpr Inside(OneThread&) noexcept {}
  };
};

} // namespace wstree::core

#endif
