// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads and processes that a pinned worker starts do not inherit its pin: they get the mask that the worker
// had before. And threads whose stacks are small get a page more, because the library uses some stack.
// (place/thread_pin.cpp watches forks; place/README.md has the functions and why each of them.)
//
// The library is in all kinds of processes, and nearly all calls come from threads that are not pinned: we
// hand those over at once. They may come from other objects' constructors and from signal handlers. Therefore
// the constructor finds the functions behind us, without the C library's help; a thread's pin is one
// thread-local pointer; and Unpinned does nothing but system calls.
//
// posix_spawn and posix_spawnp exist in two versions: up to glibc 2.14 the shell ran a script without #!. A
// program of that time binds to ours, which has no version, and gets the present behaviour, an error: the
// call does not show the program's age.
#include "export.h"
#include "resolve/libc.h"
#include "thread_pin.h"

#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace {

using namespace wstree;
using abi::LibcFunction;

using Texts = char* const[]; // arguments or variables, ends with null

constinit LibcFunction<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> g_pthread_create{
    "pthread_create"};
using Spawn = int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, Texts,
                  Texts);
constinit LibcFunction<Spawn> g_posix_spawn{"posix_spawn"};
constinit LibcFunction<Spawn> g_posix_spawnp{"posix_spawnp"};
constinit LibcFunction<int(const char*)> g_system{"system"};
constinit LibcFunction<FILE*(const char*, const char*)> g_popen{"popen"};

constexpr abi::Definition* k_all[] = {&g_pthread_create, &g_posix_spawn, &g_posix_spawnp, &g_system,
                                      &g_popen};

[[gnu::constructor]] void load() noexcept {
  abi::find_next_definitions(k_all);
  place::remember_process();
}

template <class Function, class Failure, class... Args>
auto start(Function& function, Failure failure, Args... args) {
  if (place::pinned_to() == 0) [[likely]]
    return function(failure, args...);
  const place::Unpinned unpinned;
  return function(failure, args...);
}

/// More than a thread's loss of stack with the library: its thread-local variables, of which the C library
/// makes a part of the stack, and the frames of a served region on the stacks of its members.
constexpr std::size_t k_room = 4096;
constexpr std::size_t k_small_stack = std::size_t{128} * 1024;

/// Returns whether the attributes ask for a small stack: `more` then asks for a stack with that room in
/// addition. The runtime gives its workers the stack that the program needs (OMP_STACKSIZE), and does not
/// count ours.
bool make_room(const pthread_attr_t& attributes, pthread_attr_t& more) noexcept {
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) != 0 || size == 0 || size > k_small_stack) return false;
  if (reinterpret_cast<std::uintptr_t>(low) + size != 0) return false; // a stack of the program's own
  more = attributes; // without a destruction, which would be that of the program's
  return pthread_attr_setstacksize(&more, size + k_room) == 0;
}

} // namespace

extern "C" {

WSTREE_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                 void* (*function)(void*), void* data) noexcept {
  pthread_attr_t with_room;
  if (attributes != nullptr && make_room(*attributes, with_room)) attributes = &with_room;
  return start(g_pthread_create, ENOSYS, thread, attributes, function, data);
}
WSTREE_EXPORT int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, Texts arguments, Texts variables) {
  return start(g_posix_spawn, ENOSYS, child, path, actions, attributes, arguments, variables);
}
WSTREE_EXPORT int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, Texts arguments, Texts variables) {
  return start(g_posix_spawnp, ENOSYS, child, file, actions, attributes, arguments, variables);
}
WSTREE_EXPORT int system(const char* command) { return start(g_system, -1, command); }
WSTREE_EXPORT FILE* popen(const char* command, const char* mode) {
  return start(g_popen, nullptr, command, mode);
}
}
