// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library to be preloaded beside the other one, as tools are that watch what a program starts: wraps some
// of the functions, calls on, and says so on stderr once for each.
#include "headers.h"

#include <spawn.h>

namespace {

template <class Function> Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void say_once(std::atomic<bool>& said, const char* name) {
  if (!said.exchange(true)) std::fprintf(stderr, "watched %s\n", name);
}

// Each only says whether its line was written; nothing is ordered by it.
std::atomic<bool> g_create, g_exec, g_spawn, g_system, g_popen;

} // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* data) noexcept {
  say_once(g_create, "pthread_create");
  return next<decltype(pthread_create)>("pthread_create")(thread, attributes, function, data);
}

int execve(const char* path, char* const arguments[], char* const variables[]) noexcept {
  say_once(g_exec, "execve");
  return next<decltype(execve)>("execve")(path, arguments, variables);
}

int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const arguments[], char* const variables[]) {
  say_once(g_spawn, "posix_spawn");
  return next<decltype(posix_spawn)>("posix_spawn")(child, path, actions, attributes, arguments, variables);
}

int system(const char* command) {
  say_once(g_system, "system");
  return next<decltype(system)>("system")(command);
}

FILE* popen(const char* command, const char* mode) {
  say_once(g_popen, "popen");
  return next<decltype(popen)>("popen")(command, mode);
}
}
