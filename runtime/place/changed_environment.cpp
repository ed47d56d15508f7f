// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "changed_environment.h"

#include <algorithm>
#include <atomic>
#include <new>

#include <stdlib.h>
#include <unistd.h>

namespace wstree::place {
namespace {

std::atomic_ref<char**> variables() noexcept { return std::atomic_ref<char**>(environ); }

bool is_set(char* const* begin, char* const* end, std::string_view name) noexcept {
  return std::any_of(begin, end, [&](const char* text) { return std::string_view(text).starts_with(name); });
}

/// Another thread's getenv() may be walking through a copy for as long as it likes: none is ever freed.
struct Copy {
  char** variables = nullptr;
  Copy* next = nullptr;
};

void keep(Copy* copy) noexcept {
  static constinit std::atomic<Copy*> copies{nullptr};
  copy->next = copies.load(std::memory_order_relaxed);
  // Relaxed: the list is there for leak checkers and is never read.
  while (!copies.compare_exchange_weak(copy->next, copy, std::memory_order_relaxed)) {
  }
}

/// Returns memory for twice `count` pointers.
char** make_copies(std::size_t count) noexcept {
  auto* copy = new (std::nothrow) Copy;
  if (copy == nullptr) return nullptr;
  copy->variables = new (std::nothrow) char*[2 * count]();
  if (copy->variables == nullptr) {
    delete copy;
    return nullptr;
  }
  keep(copy);
  return copy->variables;
}

} // namespace

// The C library's setenv() and unsetenv() would lock out other threads' calls of themselves, but they move
// the variables and free the old array while getenv() may be reading it. Here nothing is ever freed.
ChangedEnvironment::ChangedEnvironment() noexcept : before_(variables().load(std::memory_order_relaxed)) {
  std::size_t count = 0;
  while (before_ != nullptr && before_[count] != nullptr) ++count;
  const std::size_t most = count + k_settings.size() + 1;
  char** const made = make_copies(most);
  if (made == nullptr) return;
  while (size_ < count && before_[size_] != nullptr) {
    made[size_] = before_[size_];
    ++size_;
  }
  for (std::size_t i = 0; i < k_settings.size(); ++i) {
    added_[i] = !is_set(made, made + size_, k_settings[i].name);
    if (added_[i]) made[size_++] = const_cast<char*>(k_settings[i].text);
  }
  made[size_++] = nullptr;
  as_made_ = made + most;
  std::copy_n(made, size_, as_made_);
  // Release: a thread that reads the new pointer sees the array. The C library reads it without
  // synchronisation, as it does after each setenv() of a program.
  if (variables().compare_exchange_strong(before_, made, std::memory_order_release,
                                          std::memory_order_relaxed))
    ours_ = made;
}

ChangedEnvironment::~ChangedEnvironment() {
  if (ours_ == nullptr) return;
  char** expected = ours_;
  // Release as above.
  if (is_untouched() && variables().compare_exchange_strong(expected, before_, std::memory_order_release,
                                                            std::memory_order_relaxed))
    return;
  // Another thread has set or removed something: it did so in our array or in one made from it, which stays.
  for (std::size_t i = 0; i < k_settings.size(); ++i) {
    if (!added_[i]) continue;
    std::array<char, 64> name{};
    k_settings[i].name.copy(name.data(), k_settings[i].name.size() - 1);
    ::unsetenv(name.data());
  }
}

bool ChangedEnvironment::is_untouched() const noexcept {
  for (std::size_t i = 0; i < size_; ++i)
    // Relaxed: only the pointers are compared.
    if (std::atomic_ref<char*>(ours_[i]).load(std::memory_order_relaxed) != as_made_[i]) return false;
  return true;
}

} // namespace wstree::place
