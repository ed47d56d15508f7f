// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "next_symbol.h"

#include <dlfcn.h>
#include <link.h>

#include <cerrno>

namespace wstree::abi {
namespace {

const char k_marker = 0; // an address in this library

bool is_ours(const void* address) noexcept {
  Dl_info here{};
  Dl_info there{};
  return dladdr(&k_marker, &here) != 0 && dladdr(address, &there) != 0 && here.dli_fbase == there.dli_fbase;
}

/// The definition that `object` (a path as the loader knows it; "" is the program) sees, unless it is ours.
void* symbol_seen_by(const char* object, const char* name) noexcept {
  void* handle = dlopen(object[0] != '\0' ? object : nullptr, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* found = dlsym(handle, name);
  dlclose(handle); // the object stays: its code called us, or it was listed as loaded
  return found != nullptr && !is_ours(found) ? found : nullptr;
}

struct Query {
  const char* name;
  void* found;
};

int ask_object(dl_phdr_info* object, std::size_t, void* data) noexcept {
  auto* query = static_cast<Query*>(data);
  query->found = symbol_seen_by(object->dlpi_name, query->name);
  return query->found != nullptr ? 1 : 0;
}

} // namespace

void* next_symbol(const char* name, const void* caller) noexcept {
  const int saved_errno = errno;
  // RTLD_NEXT means "after the object that calls dlsym", which a tail call would make the wrong one: keep the result.
  void* volatile found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    Dl_info info{};
    link_map* map = nullptr;
    if (dladdr1(caller, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0 && map != nullptr)
      found = symbol_seen_by(map->l_name, name);
  }
  if (found == nullptr) {
    Query query{name, nullptr};
    dl_iterate_phdr(ask_object, &query);
    found = query.found;
  }
  errno = saved_errno;
  return found;
}

} // namespace wstree::abi
