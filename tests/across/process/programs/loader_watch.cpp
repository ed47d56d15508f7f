// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library to be preloaded that says on stderr when a thread asks the loader for something from within
// dl_iterate_phdr, where the loader holds a lock; and when the walk is over.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

namespace {

thread_local int t_walks = 0;

template <class Function> Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void say(const char* text) {
  const char* end = text;
  while (*end != '\0') ++end;
  if (write(2, text, static_cast<size_t>(end - text)) < 0) _exit(9);
}

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int dl_iterate_phdr(int (*each)(dl_phdr_info*, size_t, void*), void* data) {
  static const auto next = real<decltype(dl_iterate_phdr)>("dl_iterate_phdr");
  ++t_walks;
  const int result = next(each, data);
  if (--t_walks == 0) say("walk\n");
  return result;
}

EXPORT void* dlopen(const char* file, int mode) {
  static const auto next = real<void*(const char*, int)>("dlopen");
  if (t_walks > 0) say("dlopen in a walk\n");
  return next(file, mode);
}

EXPORT int dladdr(const void* address, Dl_info* info) noexcept {
  static const auto next = real<int(const void*, Dl_info*)>("dladdr");
  if (t_walks > 0) say("dladdr in a walk\n");
  return next(address, info);
}
