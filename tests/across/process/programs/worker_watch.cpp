// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library to be preloaded that counts the calls of functions of the loader, of memory and of locks that
// libwstree makes in other threads than the first one and the one that looks at the machine. At exit it says
// on stderr "worker: NAME COUNT" for each function that was called, else "worker: nothing".
#include "headers.h"

#include <link.h>
#include <signal.h>

namespace {

struct Range {
  std::uintptr_t begin, end;
} code; // of libwstree

int find_code(dl_phdr_info* info, std::size_t, void*) {
  if (std::strstr(info->dlpi_name, "libwstree.so") == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) code = {begin, begin + segment.p_memsz};
  }
  return 1;
}

struct Watched {
  const char* name;
  std::atomic<long> calls{0};
  void* next = nullptr;
};
enum { k_dlopen, k_dlclose, k_dlsym, k_dladdr, k_dladdr1, k_walk, k_lock, k_once, k_memory };
Watched watched[] = {{"dlopen"},
                     {"dlclose"},
                     {"dlsym"},
                     {"dladdr"},
                     {"dladdr1"},
                     {"dl_iterate_phdr"},
                     {"pthread_mutex_lock"},
                     {"pthread_once"},
                     {"memory"}};

/// Whether the calling thread is the one that looks at the machine, for which no member waits long: it is the
/// only one that has all signals blocked.
bool looks_at_machine() {
  sigset_t blocked;
  return pthread_sigmask(SIG_BLOCK, nullptr, &blocked) == 0 && sigismember(&blocked, SIGINT) == 1;
}

void note(int which, const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  if (address - code.begin < code.end - code.begin && static_cast<pid_t>(syscall(SYS_gettid)) != getpid() &&
      !looks_at_machine())
    watched[which].calls.fetch_add(1);
}

template <class Function> Function* next(int which) {
  if (watched[which].next == nullptr) // dlsym itself: of any version, because the first call asks for it
    watched[which].next =
        which == k_dlsym ? dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34") : dlsym(RTLD_NEXT, watched[which].name);
  return reinterpret_cast<Function*>(watched[which].next);
}

[[gnu::constructor]] void begin() { dl_iterate_phdr(find_code, nullptr); }

[[gnu::destructor]] void end() {
  bool called = false;
  for (const Watched& each : watched) {
    if (each.calls.load() == 0) continue;
    called = true;
    std::fprintf(stderr, "worker: %s %ld\n", each.name, each.calls.load());
  }
  if (!called) std::fprintf(stderr, "worker: nothing\n");
}

} // namespace

#define WATCH(result, name, parameters, which, next_one)                                                     \
  extern "C" __attribute__((visibility("default"))) result name parameters {                                 \
    note(which, __builtin_return_address(0));                                                                \
    return next_one;                                                                                         \
  }

// The C library's own names for these: they can be called before anything can be looked up.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* block);
}

WATCH(void*, malloc, (std::size_t size), k_memory, __libc_malloc(size))
WATCH(void*, calloc, (std::size_t count, std::size_t size), k_memory, __libc_calloc(count, size))
WATCH(void*, realloc, (void* block, std::size_t size), k_memory, __libc_realloc(block, size))
WATCH(void*, aligned_alloc, (std::size_t alignment, std::size_t size), k_memory,
      __libc_memalign(alignment, size))
WATCH(void, free, (void* block), k_memory, __libc_free(block))

WATCH(void*, dlopen, (const char* file, int mode), k_dlopen, next<decltype(dlopen)>(k_dlopen)(file, mode))
WATCH(int, dlclose, (void* handle), k_dlclose, next<decltype(dlclose)>(k_dlclose)(handle))
WATCH(int, dladdr, (const void* address, Dl_info* info), k_dladdr,
      next<decltype(dladdr)>(k_dladdr)(address, info))
WATCH(int, dladdr1, (const void* address, Dl_info* info, void** extra, int flags), k_dladdr1,
      next<decltype(dladdr1)>(k_dladdr1)(address, info, extra, flags))
WATCH(int, dl_iterate_phdr, (int (*each)(dl_phdr_info*, std::size_t, void*), void* data), k_walk,
      next<decltype(dl_iterate_phdr)>(k_walk)(each, data))
WATCH(int, pthread_mutex_lock, (pthread_mutex_t * mutex), k_lock,
      next<decltype(pthread_mutex_lock)>(k_lock)(mutex))
WATCH(int, pthread_once, (pthread_once_t * once, void (*routine)()), k_once,
      next<decltype(pthread_once)>(k_once)(once, routine))
