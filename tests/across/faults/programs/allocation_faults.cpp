// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded behind the library: lets allocations fail that libwstree.so makes, and only those. An OpenMP
// runtime that gets no memory ends the process, so it has to get some.
//
//   FAULT_CLASSES  whose allocations count: o, made by the library itself; c, by the C library and the loader
//                  on its behalf; h, by hwloc
//   FAULT_FROM     number of the first one that fails, counted from 1; 0, the default: none does
//   FAULT_COUNT    how many fail from there on; 0, the default: all
//   FAULT_LARGE    1: besides, whatever the library itself takes from mmap() fails
//   FAULT_LOG      file that gets one line for each counted allocation:
//                  NUMBER CLASS failed|made FUNCTION BYTES OBJECT+OFFSET ...
#include "raw_variables.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

constexpr int k_most_frames = 32;

/// The settings. Read at the first allocation, which may come before any constructor.
struct Settings {
  char classes[8] = {};
  char log[256] = {};
  const long from = faults::number_variable("FAULT_FROM");
  const long count = faults::number_variable("FAULT_COUNT");
  const bool large_fails = faults::number_variable("FAULT_LARGE") != 0;

  Settings() {
    faults::copy_variable("FAULT_CLASSES", classes, sizeof classes);
    faults::copy_variable("FAULT_LOG", log, sizeof log);
  }
};
const Settings& settings() {
  static const Settings read;
  return read;
}

struct Stack {
  std::uintptr_t frames[k_most_frames];
  int size = 0;
};

_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* data) {
  auto& stack = *static_cast<Stack*>(data);
  stack.frames[stack.size++] = _Unwind_GetIP(context) - 1;
  return stack.size == k_most_frames ? _URC_END_OF_STACK : _URC_NO_REASON;
}

struct Where {
  const char* object = "?";
  std::uintptr_t offset = 0;

  explicit Where(std::uintptr_t address) {
    dl_find_object found{};
    if (_dl_find_object(reinterpret_cast<void*>(address), &found) != 0) return;
    const char* path = found.dlfo_link_map->l_name;
    const char* slash = std::strrchr(path, '/');
    object = slash != nullptr ? slash + 1 : path;
    offset = address - found.dlfo_link_map->l_addr;
  }
  [[nodiscard]] bool is(const char* prefix) const {
    return std::strncmp(object, prefix, std::strlen(prefix)) == 0;
  }
};

/// What the library hands on to the C library for others: threads and programs that they start.
bool is_handed_on(std::uintptr_t address) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(address), &info) == 0 || info.dli_sname == nullptr) return false;
  for (const char* name : {"pthread_create", "system", "popen", "posix_spawn", "posix_spawnp"})
    if (std::strcmp(info.dli_sname, name) == 0) return true;
  return false;
}

/// On whose behalf the allocation is made, judged by the first object on the stack that is neither the C
/// library nor hwloc; 0 if that is not ours.
char class_of(const Stack& stack) {
  char result = 'o';
  for (int i = 0; i < stack.size; ++i) {
    const Where where(stack.frames[i]);
    if (where.is("allocation_faults.so")) continue;
    if (where.is("libwstree.so")) return is_handed_on(stack.frames[i]) ? '\0' : result;
    if (where.is("libhwloc"))
      result = 'h';
    else if (where.is("libc.so") || where.is("ld-linux"))
      result = result == 'h' ? 'h' : 'c';
    else
      return '\0';
  }
  return '\0';
}

void write_line(long number, char kind, bool fails, const char* function, std::size_t bytes,
                const Stack& stack) {
  if (settings().log[0] == '\0') return;
  char line[1024];
  int size = std::snprintf(line, sizeof line, "%ld %c %s %s %zu", number, kind, fails ? "failed" : "made",
                           function, bytes);
  for (int i = 0; i < stack.size && size < 900; ++i) {
    const Where where(stack.frames[i]);
    if (where.is("allocation_faults.so")) continue;
    size += std::snprintf(line + size, sizeof line - static_cast<std::size_t>(size), " %.40s+0x%zx",
                          where.object, where.offset);
    if (i > 12) break;
  }
  line[size++] = '\n';
  const long file =
      syscall(SYS_openat, AT_FDCWD, settings().log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  syscall(SYS_write, file, line, size);
  syscall(SYS_close, file);
}

std::atomic<long> counted{0};
thread_local bool busy __attribute__((tls_model("initial-exec"))) = false;

/// What one call is: counted if it is made for the library, and failing if it is its turn.
struct Call {
  bool ours = false;
  bool fails = false;

  Call(const char* function, std::size_t bytes) {
    if (busy || settings().classes[0] == '\0') return;
    busy = true;
    const int saved_errno = errno;
    Stack stack;
    _Unwind_Backtrace(note_frame, &stack);
    const char kind = class_of(stack);
    ours = kind != '\0' && std::strchr(settings().classes, kind) != nullptr;
    if (ours) {
      const long number = ++counted;
      const long from = settings().from;
      fails = from != 0 && number >= from && (settings().count == 0 || number < from + settings().count);
      write_line(number, kind, fails, function, bytes, stack);
    }
    if (kind == 'o' && settings().large_fails && std::strcmp(function, "mmap") == 0) fails = true;
    errno = fails ? ENOMEM : saved_errno;
    busy = false;
  }
};

/// The blocks that the library has and has not given back.
class Blocks {
public:
  void add(void* block) {
    if (block == nullptr) return;
    for (std::size_t i = first(block);; i = (i + 1) % k_slots) {
      void* expected = slots_[i].load();
      if (expected != nullptr && expected != k_gone) continue;
      if (slots_[i].compare_exchange_strong(expected, block)) break;
    }
    ++live_;
  }
  void remove(void* block) {
    if (block == nullptr || live_ == 0) return;
    for (std::size_t i = first(block); void* seen = slots_[i].load(); i = (i + 1) % k_slots) {
      if (seen != block) continue;
      slots_[i] = k_gone;
      --live_;
      return;
    }
  }
  [[nodiscard]] long live() const { return live_; }

private:
  static constexpr std::size_t k_slots = 1 << 16;
  static inline void* const k_gone = reinterpret_cast<void*>(std::uintptr_t{1});
  static std::size_t first(void* block) {
    return (reinterpret_cast<std::uintptr_t>(block) >> 4) * 0x9e3779b1 % k_slots;
  }

  std::atomic<void*> slots_[k_slots] = {};
  std::atomic<long> live_{0};
};
constinit Blocks blocks;

template <class Make> void* allocate(const char* function, std::size_t bytes, void* failure, Make make) {
  const Call call(function, bytes);
  if (call.fails) return failure;
  void* made = make();
  if (call.ours && made != failure) blocks.add(made);
  return made;
}

} // namespace

extern "C" {

/// For the program: how many blocks the library has at present.
long faults_live_blocks() { return blocks.live(); }
/// ... and how many times it has asked for one.
long faults_counted() { return counted; }

void* malloc(std::size_t size) {
  return allocate("malloc", size, nullptr, [&] { return __libc_malloc(size); });
}
void* calloc(std::size_t count, std::size_t size) {
  return allocate("calloc", count * size, nullptr, [&] { return __libc_calloc(count, size); });
}
void* realloc(void* block, std::size_t size) {
  const Call call("realloc", size);
  if (call.fails) return nullptr;
  blocks.remove(block);
  void* made = __libc_realloc(block, size);
  if (call.ours) blocks.add(made);
  return made;
}
void* memalign(std::size_t alignment, std::size_t size) {
  return allocate("memalign", size, nullptr, [&] { return __libc_memalign(alignment, size); });
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return allocate("aligned_alloc", size, nullptr, [&] { return __libc_memalign(alignment, size); });
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  void* made = allocate("posix_memalign", size, nullptr, [&] { return __libc_memalign(alignment, size); });
  if (made == nullptr) return ENOMEM;
  *result = made;
  return 0;
}
void free(void* block) {
  blocks.remove(block);
  __libc_free(block);
}
void* mmap(void* where, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  return allocate("mmap", size, MAP_FAILED, [&] {
    return reinterpret_cast<void*>(syscall(SYS_mmap, where, size, protection, flags, file, offset));
  });
}
int munmap(void* where, std::size_t size) noexcept {
  blocks.remove(where);
  return static_cast<int>(syscall(SYS_munmap, where, size));
}
}
