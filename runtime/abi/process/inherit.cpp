// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads and processes that a pinned worker starts do not inherit its pin: they get the mask that the worker
// had before. (place/thread_pin.cpp watches forks.)
//
// The library is in all kinds of processes, and nearly all calls come from threads that are not pinned: we
// hand those over at once. They may come from other objects' constructors, from signal handlers and from the
// child of vfork, which shares memory with its parent. Therefore the constructor finds the functions behind
// us, without the C library's help; a thread's pin is one thread-local pointer; and Unpinned does nothing but
// system calls.
//
// posix_spawn and posix_spawnp exist in two versions: up to glibc 2.14 the shell ran a script without #!. A
// program of that time binds to ours, which has no version, and gets the present behaviour, an error: the
// call does not tell how old the program is.
#include "export.h"
#include "resolve/libc.h"
#include "thread_pin.h"

#include <alloca.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>

namespace {

using namespace wstree;
using abi::LibcFunction;

using Texts = char* const[]; // of arguments or variables, ends with null

constinit LibcFunction<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> g_pthread_create{
    "pthread_create"};
constinit LibcFunction<int(thrd_t*, thrd_start_t, void*)> g_thrd_create{"thrd_create"};
constinit LibcFunction<int(const char*, Texts, Texts)> g_execve{"execve"};
constinit LibcFunction<int(const char*, Texts)> g_execv{"execv"};
constinit LibcFunction<int(const char*, Texts)> g_execvp{"execvp"};
constinit LibcFunction<int(const char*, Texts, Texts)> g_execvpe{"execvpe"};
constinit LibcFunction<int(int, Texts, Texts)> g_fexecve{"fexecve"};
constinit LibcFunction<int(int, const char*, Texts, Texts, int)> g_execveat{"execveat"};
using Spawn = int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, Texts,
                  Texts);
constinit LibcFunction<Spawn> g_posix_spawn{"posix_spawn"};
constinit LibcFunction<Spawn> g_posix_spawnp{"posix_spawnp"};
constinit LibcFunction<int(const char*)> g_system{"system"};
constinit LibcFunction<FILE*(const char*, const char*)> g_popen{"popen"};

constexpr abi::Definition* k_all[] = {&g_pthread_create, &g_thrd_create,  &g_execve,  &g_execv,
                                      &g_execvp,         &g_execvpe,      &g_fexecve, &g_execveat,
                                      &g_posix_spawn,    &g_posix_spawnp, &g_system,  &g_popen};

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

template <class Function, class... Args> int exec(Function& function, Args... args) {
  return start(function, -1, args...);
}

/// The arguments behind the named ones. (A va_list is a struct on some machines and an array on others.)
struct Rest {
  va_list list;
};

/// Calls call(list of the arguments). The list is on the stack, because the child of vfork cannot allocate.
/// Afterwards `rest` is behind the null.
template <class Call> int with_list(const char* first, Rest& rest, Call call) {
  Rest counted;
  va_copy(counted.list, rest.list);
  std::size_t count = 0;
  for (const char* argument = first; argument != nullptr; argument = va_arg(counted.list, const char*))
    ++count;
  va_end(counted.list);
  auto** list = static_cast<char**>(alloca((count + 1) * sizeof(char*)));
  std::size_t filled = 0;
  for (const char* argument = first; argument != nullptr; argument = va_arg(rest.list, const char*))
    list[filled++] = const_cast<char*>(argument);
  list[filled] = nullptr;
  return call(list);
}

} // namespace

extern "C" {

WSTREE_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                 void* (*function)(void*), void* data) noexcept {
  return start(g_pthread_create, ENOSYS, thread, attributes, function, data);
}
WSTREE_EXPORT int thrd_create(thrd_t* thread, thrd_start_t function, void* data) {
  return start(g_thrd_create, int{thrd_error}, thread, function, data);
}

WSTREE_EXPORT int execve(const char* path, Texts arguments, Texts variables) noexcept {
  return exec(g_execve, path, arguments, variables);
}
WSTREE_EXPORT int execv(const char* path, Texts arguments) noexcept { return exec(g_execv, path, arguments); }
WSTREE_EXPORT int execvp(const char* file, Texts arguments) noexcept {
  return exec(g_execvp, file, arguments);
}
WSTREE_EXPORT int execvpe(const char* file, Texts arguments, Texts variables) noexcept {
  return exec(g_execvpe, file, arguments, variables);
}
WSTREE_EXPORT int fexecve(int file, Texts arguments, Texts variables) noexcept {
  return exec(g_fexecve, file, arguments, variables);
}
WSTREE_EXPORT int execveat(int folder, const char* path, Texts arguments, Texts variables,
                           int flags) noexcept {
  return exec(g_execveat, folder, path, arguments, variables, flags);
}
// We cannot hand on an argument list as it is. The C library's own versions collect it in the same way.
WSTREE_EXPORT int execl(const char* path, const char* first, ...) noexcept {
  Rest rest;
  va_start(rest.list, first);
  const int result = with_list(first, rest, [&](char** list) { return exec(g_execv, path, list); });
  va_end(rest.list);
  return result;
}
WSTREE_EXPORT int execlp(const char* file, const char* first, ...) noexcept {
  Rest rest;
  va_start(rest.list, first);
  const int result = with_list(first, rest, [&](char** list) { return exec(g_execvp, file, list); });
  va_end(rest.list);
  return result;
}
WSTREE_EXPORT int execle(const char* path, const char* first, ...) noexcept {
  Rest rest;
  va_start(rest.list, first);
  const int result = with_list(
      first, rest, [&](char** list) { return exec(g_execve, path, list, va_arg(rest.list, char* const*)); });
  va_end(rest.list);
  return result;
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
