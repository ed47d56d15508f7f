// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/loaded_objects.h"

#include <dlfcn.h>
#include <features.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>

// Weak: musl has none of them, and would not start a program in which they are missing. glibc has the last
// one from 2.35 on.
#pragma weak _r_debug
#pragma weak dladdr1
#if __GLIBC_PREREQ(2, 35)
#pragma weak _dl_find_object
#endif

namespace wstree::abi {
namespace {

/// This library in the loader's list, whose records of initial objects never move and never go. Written by
/// the constructor; relaxed: before it there is one thread, or each thread finds the same.
constinit std::atomic<const link_map*> g_own{nullptr};
constinit std::atomic<const link_map*> g_first{nullptr};
constinit std::atomic<const link_map*> g_last{nullptr}; // nullptr: this library was opened later

constexpr std::string_view k_c_library = "libc.so.6";

bool is_ours(const ElfObject& object) noexcept { return object.dynamic() == _DYNAMIC; }

struct Search {
  Providers room;
  std::size_t found = 0;
};
int add_provider(dl_phdr_info* info, std::size_t, void* data) noexcept {
  auto& search = *static_cast<Search*>(data);
  const ElfObject object(*info);
  if (search.found == search.room.size() || is_ours(object) || !may_provide(object)) return 0;
  search.room[search.found++] = {object, extent_of(*info), info->dlpi_name};
  return 0;
}

/// In: a name in the list of what an object was linked with. Out: the object that it stands for.
struct Needed {
  std::string_view name;
  ElfObject object;
};
int find_needed(dl_phdr_info* info, std::size_t, void* data) noexcept {
  auto& needed = *static_cast<Needed*>(data);
  const ElfObject object(*info);
  const std::string_view path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  std::string_view file = path;
  file.remove_prefix(path.rfind('/') + 1); // npos + 1 is 0
  if (object.soname() != needed.name && path != needed.name && file != needed.name) return 0;
  needed.object = object;
  return 1;
}

struct Around {
  const void* address;
  LoadedObject object;
};
int find_around(dl_phdr_info* info, std::size_t, void* data) noexcept {
  auto& around = *static_cast<Around*>(data);
  const Extent extent = extent_of(*info);
  if (!extent.holds(around.address)) return 0;
  around.object = {ElfObject(*info), extent, info->dlpi_name};
  return 1;
}

} // namespace

bool may_provide(const ElfObject& object) noexcept {
  static constexpr SymbolName k_openers[] = {SymbolName("GOMP_parallel"), SymbolName("__kmpc_fork_call")};
  return is_runtime(object) || object.defines(k_openers[0]) || object.defines(k_openers[1]);
}

const link_map* own_map() noexcept { return g_own.load(std::memory_order_relaxed); }
const link_map* last_initial() noexcept { return g_last.load(std::memory_order_relaxed); }
const link_map* first_initial() noexcept { return g_first.load(std::memory_order_relaxed); }

bool is_glibc() noexcept { return &_r_debug != nullptr; }

void remember_initial_objects() noexcept {
  if (!is_glibc()) return;
  const link_map* own = _r_debug.r_map;
  while (own != nullptr && own->l_ld != _DYNAMIC) own = own->l_next;
  if (own == nullptr) { // a tool has opened us in a namespace of its own
    Dl_info info{};
    link_map* found = nullptr;
    if (dladdr1(_DYNAMIC, &info, reinterpret_cast<void**>(&found), RTLD_DL_LINKMAP) == 0) return;
    own = found;
  }
  const link_map* first = own;
  while (first->l_prev != nullptr) first = first->l_prev;
  g_first.store(first, std::memory_order_relaxed);
  g_own.store(own, std::memory_order_relaxed);
  const link_map* last = own;
  bool has_c_library =
      false; // which every program is linked with, and a library that is opened later follows
  for (; last->l_next != nullptr; last = last->l_next)
    has_c_library = has_c_library || ElfObject(*last->l_next).soname() == k_c_library;
  if (has_c_library) g_last.store(last, std::memory_order_relaxed);
}

bool is_initial(const ElfObject& object) noexcept {
  return any_initial([&](const ElfObject& initial, bool) { return initial == object; });
}

LoadedObject object_around(const void* address) noexcept {
#if __GLIBC_PREREQ(2, 35)
  if (&_dl_find_object != nullptr) {
    dl_find_object found{};
    if (_dl_find_object(const_cast<void*>(address), &found) != 0) return {};
    const auto begin = reinterpret_cast<Address>(found.dlfo_map_start);
    const auto end = reinterpret_cast<Address>(found.dlfo_map_end);
    return {ElfObject(*found.dlfo_link_map), {begin, end - begin}, found.dlfo_link_map->l_name};
  }
#endif
  Around around{address, {}};
  dl_iterate_phdr(find_around, &around);
  return around.object;
}

std::size_t find_providers(Providers room) noexcept {
  Search search{room};
  dl_iterate_phdr(add_provider, &search);
  return search.found;
}

void sort_as_seen_by(const LoadedObject& caller, Providers providers) noexcept {
  // The loader's order: the caller, what it needs, what that needs, and so on. A queue that is full ends the
  // search; the rest stays in the order of loading.
  struct Entry {
    Address base;
    const ElfW(Dyn) * dynamic;
  };
  std::array<Entry, 64> queue; // small, because it may be on the stack of a fiber
  std::size_t known = 0, next = 0;
  const auto add = [&](const ElfObject& object) {
    const auto end = queue.begin() + static_cast<std::ptrdiff_t>(known);
    if (known < queue.size() &&
        std::none_of(queue.begin(), end, [&](const Entry& e) { return e.dynamic == object.dynamic(); }))
      queue[known++] = {object.base(), object.dynamic()};
  };
  add(caller.tables);
  auto sorted = providers.begin();
  while (next < known && sorted != providers.end()) {
    const ElfObject object(queue[next].base, queue[next].dynamic);
    ++next;
    const auto at = std::find_if(sorted, providers.end(),
                                 [&](const LoadedObject& each) { return each.tables == object; });
    if (at != providers.end()) std::rotate(sorted++, at, at + 1);
    object.any_needed([&](std::string_view name) {
      Needed needed{name, {}};
      if (dl_iterate_phdr(find_needed, &needed) != 0) add(needed.object);
      return false;
    });
  }
}

} // namespace wstree::abi
