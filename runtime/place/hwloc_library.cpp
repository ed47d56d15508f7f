// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hwloc_library.h"

#include "changed_environment.h"

#include <dlfcn.h>

namespace wstree::place {
namespace {

constexpr const char* k_library = "libhwloc.so.15"; // every hwloc 2.x

/// Closes `handle` with the C library's dlclose(). The one of this library (process/unloading.cpp) would open
/// runtimes to keep them, and in a process that ends meanwhile the loader would initialise them again.
void close_library(void* handle) noexcept {
  if (void* const close = ::dlsym(RTLD_NEXT, "dlclose"); close != nullptr)
    reinterpret_cast<int (*)(void*)>(close)(handle);
}

} // namespace

HwlocLibrary::HwlocLibrary() noexcept {
  if (void* loaded = ::dlopen(k_library, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD); loaded != nullptr)
    close_library(loaded);
  else
    alone_ = true;
  handle_ = ::dlopen(k_library, RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    problem_ = "hwloc is not installed";
    return;
  }
#define WSTREE_HWLOC_FIND(name) name = reinterpret_cast<decltype(name)>(::dlsym(handle_, "hwloc_" #name));
  WSTREE_HWLOC_REQUIRED(WSTREE_HWLOC_FIND)
  WSTREE_HWLOC_OPTIONAL(WSTREE_HWLOC_FIND)
#undef WSTREE_HWLOC_FIND
#define WSTREE_HWLOC_CHECK(name)                                                                             \
  if (name == nullptr) problem_ = "hwloc_" #name "() is missing";
  WSTREE_HWLOC_REQUIRED(WSTREE_HWLOC_CHECK)
#undef WSTREE_HWLOC_CHECK
}

HwlocLibrary::~HwlocLibrary() {
  if (handle_ != nullptr) close_library(handle_);
}

hwloc_topology_t HwlocLibrary::make_topology() const noexcept {
  const ChangedEnvironment changed;
  // Better no topology than the plugins that hwloc would load, and its messages.
  if (!changed.is_in_force()) return nullptr;
  // hwloc reads its variable once. If the program uses hwloc itself, hwloc's messages are the
  // program's matter.
  if (alone_)
    if (void* hide = ::dlsym(handle_, "hwloc_hide_errors"); hide != nullptr)
      reinterpret_cast<int (*)()>(hide)();
  hwloc_topology_t topology = nullptr;
  return topology_init(&topology) == 0 ? topology : nullptr;
}

} // namespace wstree::place
