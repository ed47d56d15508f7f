// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that a program looks up in an object that it has opened. It is about to call the first one of a
// plugin: the moment to bind the references of new objects, before a call has to be told apart.
//
// dlsym() and dlvsym() are assembler code (lookup_<architecture>.S), which hands on by a jump.
#include "resolve/binding.h"
#include "resolve/libc.h"
#include "resolve/loaded_objects.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <dlfcn.h>

extern "C" void* const __dso_handle __attribute__((visibility("hidden")));

namespace wstree::abi {

// The address at which the assembler code goes on; nullptr: not known yet. relaxed: it leads to code only.
extern std::array<std::atomic<void*>, 2> g_next_lookups __asm__("wstree_next_lookups");
constinit std::array<std::atomic<void*>, 2> g_next_lookups{};

namespace {

constinit Definition g_dlsym{"dlsym"}, g_dlvsym{"dlvsym"};
constexpr std::array<Definition*, 2> k_all{&g_dlsym, &g_dlvsym};

void* find_nothing() noexcept { return nullptr; }

void* find_next(std::size_t index) noexcept {
  find_next_definitions(k_all);
  void* found = k_all[index]->address.load(std::memory_order_relaxed);
  if (found == nullptr) found = reinterpret_cast<void*>(&find_nothing);
  g_next_lookups[index].store(found, std::memory_order_relaxed);
  return found;
}

/// pthread_atfork() of the C library itself, because other libraries are not ready yet.
void watch_forks() noexcept {
  using Handler = void();
  static constinit LibcFunction<int(Handler*, Handler*, Handler*, const void*)> at_fork{"__register_atfork"};
  Definition* const wanted[] = {&at_fork};
  find_unwrapped(wanted);
  at_fork(0, nullptr, nullptr, note_fork, &__dso_handle);
}

[[gnu::constructor]] void load() noexcept {
  for (std::size_t i = 0; i < k_all.size(); ++i) find_next(i);
  if (is_glibc()) watch_forks();
}

} // namespace
} // namespace wstree::abi

using namespace wstree::abi;

extern "C" {

/// Takes part before a look-up in an object that the program has opened, and before the first look-up.
/// Returns the function at which the look-up goes on; `index`: dlsym, dlvsym. May take the lock of
/// dl_iterate_phdr(); the look-up takes the loader's.
void* wstree_before_lookup(void* handle, std::size_t index) noexcept {
  if (handle != RTLD_DEFAULT && handle != RTLD_NEXT) bind_opened_objects();
  void* const next = g_next_lookups[index].load(std::memory_order_relaxed);
  return next != nullptr ? next : find_next(index);
}
}
