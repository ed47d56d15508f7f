// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded behind the library: calls of the system fail that libwstree.so makes, and only those.
//
//   FAULT_CALLS   CALL[:TEXT]=FAILURE, separated by blanks: a call fails if its path or name contains TEXT.
//                 FAILURE is a number of errno, or for read() `short` (one byte at a time) or `interrupted`
//                 (every other call is); for dlopen() and dlsym() the number does not matter.
//
// Where the library asks the kernel itself (sched_getaffinity, writev), a filter of system calls answers.
#include "call_filter.h"
#include "raw_variables.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

constexpr int k_short = -1;
constexpr int k_interrupted = -2;

bool is_library(const void* caller) {
  dl_find_object found{};
  if (_dl_find_object(const_cast<void*>(caller), &found) != 0) return false;
  return std::strstr(found.dlfo_link_map->l_name, "libwstree.so") != nullptr;
}

const char* wanted_faults() {
  static constinit char text[1024];
  static constinit bool known = false;
  if (!known) faults::copy_variable("FAULT_CALLS", text, sizeof text);
  known = true;
  return text;
}

/// 0, or how the call fails: the first rule for it whose text is in `object` decides.
[[gnu::noinline]] int failure_of(const char* call, const char* object) {
  const std::size_t size = std::strlen(call);
  for (const char* rule = wanted_faults(); *rule != '\0';) {
    const char* end = std::strchr(rule, ' ') != nullptr ? std::strchr(rule, ' ') : rule + std::strlen(rule);
    const auto* equals =
        static_cast<const char*>(std::memchr(rule, '=', static_cast<std::size_t>(end - rule)));
    if (equals != nullptr && std::strncmp(rule, call, size) == 0 &&
        (rule[size] == ':' || rule[size] == '=')) {
      char text[128] = {};
      if (rule[size] == ':')
        std::memcpy(text, rule + size + 1, static_cast<std::size_t>(equals - rule) - size - 1);
      if (std::strstr(object, text) != nullptr) {
        if (std::strncmp(equals + 1, "short", 5) == 0) return k_short;
        if (std::strncmp(equals + 1, "interrupted", 11) == 0) return k_interrupted;
        return std::atoi(equals + 1);
      }
    }
    rule = *end == ' ' ? end + 1 : end;
  }
  return 0;
}

[[gnu::noinline]] int failure_of(const char* call, const char* object, const void* caller) {
  return is_library(caller) ? failure_of(call, object) : 0;
}

[[gnu::constructor]] void filter_calls() {
  const std::pair<int, const char*> calls[] = {{SYS_sched_getaffinity, "sched_getaffinity"},
                                               {SYS_writev, "writev"}};
  for (const auto& [number, name] : calls)
    if (const int failure = failure_of(name, ""); failure != 0)
      if (!faults::fail_calls_of("libwstree.so", number, failure)) _exit(98);
}

using Find = void*(void*, const char*) noexcept;

/// The C library's own dlsym, which is asked for in a version that it has on every architecture.
[[gnu::noinline]] Find* real_dlsym() {
  static constinit Find* found = nullptr;
  if (found == nullptr) found = reinterpret_cast<Find*>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34"));
  return found;
}
template <class Function> Function* next_of(Function*, const char* name) {
  return reinterpret_cast<Function*>(real_dlsym()(RTLD_NEXT, name));
}

#define CALLER __builtin_return_address(0)
#define FAIL_IF(call, object, result)                                                                        \
  if (const int failure = failure_of(call, object, CALLER); failure != 0) {                                  \
    errno = failure;                                                                                         \
    return result;                                                                                           \
  }

} // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  FAIL_IF("open", path, -1)
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

ssize_t read(int file, void* buffer, std::size_t size) {
  static thread_local bool other = false;
  const int failure = failure_of("read", "", CALLER);
  if (failure == k_interrupted) other = !other;
  if (failure > 0 || (failure == k_interrupted && other)) {
    errno = failure > 0 ? failure : EINTR;
    return -1;
  }
  return syscall(SYS_read, file, buffer, failure == k_short && size > 1 ? 1 : size);
}

DIR* opendir(const char* path) {
  FAIL_IF("opendir", path, nullptr)
  static const auto real = next_of(&opendir, "opendir");
  return real(path);
}
int sched_setaffinity(pid_t thread, std::size_t size, const cpu_set_t* mask) noexcept {
  FAIL_IF("sched_setaffinity", "", -1)
  static const auto real = next_of(&sched_setaffinity, "sched_setaffinity");
  return real(thread, size, mask);
}
int sched_getcpu() noexcept {
  FAIL_IF("sched_getcpu", "", -1)
  static const auto real = next_of(&sched_getcpu, "sched_getcpu");
  return real();
}
// Calls that return their error.
#define FAILING(name, call, arguments, values, ...)                                                          \
  int name arguments __VA_ARGS__ {                                                                           \
    if (const int failure = failure_of(call, "", CALLER); failure != 0) return failure;                      \
    static const auto real = next_of(&name, #name);                                                          \
    return real values;                                                                                      \
  }
FAILING(pthread_getaffinity_np, "pthread_getaffinity_np",
        (pthread_t thread, std::size_t size, cpu_set_t* mask), (thread, size, mask), noexcept)
FAILING(pthread_key_create, "pthread_key_create", (pthread_key_t * key, void (*destructor)(void*)),
        (key, destructor), noexcept)
FAILING(__pthread_key_create, "pthread_key_create", (pthread_key_t * key, void (*destructor)(void*)),
        (key, destructor), noexcept)
FAILING(pthread_setspecific, "pthread_setspecific", (pthread_key_t key, const void* value), (key, value),
        noexcept)
FAILING(__register_atfork, "pthread_atfork",
        (void (*before)(), void (*in_parent)(), void (*in_child)(), void* object),
        (before, in_parent, in_child, object), )
int uname(utsname* system) noexcept {
  FAIL_IF("uname", "", -1)
  return static_cast<int>(syscall(SYS_uname, system));
}
int gethostname(char* name, std::size_t size) noexcept {
  FAIL_IF("gethostname", "", -1)
  static const auto real = next_of(&gethostname, "gethostname");
  return real(name, size);
}
void* dlopen(const char* path, int flags) noexcept {
  FAIL_IF("dlopen", path != nullptr ? path : "", nullptr)
  static const auto real = next_of(&dlopen, "dlopen");
  return real(path, flags);
}
/// RTLD_NEXT means "behind the caller", which has to stay the program's library: the last line is a jump.
void* dlsym(void* handle, const char* name) noexcept {
  if (failure_of("dlsym", name, CALLER) != 0) return nullptr;
  Find* const real = real_dlsym();
  return real(handle, name);
}
}
