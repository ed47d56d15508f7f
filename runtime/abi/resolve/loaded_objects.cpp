// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/loaded_objects.h"

#include "resolve/libc.h"
#include "system_call.h"

#include <dlfcn.h>
#include <features.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
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
constinit std::atomic<Address> g_page_size{0};          // relaxed: as above
constinit std::atomic<const link_map*> g_last{nullptr}; // nullptr: this library was opened later

/// The place of the search lists in a record of the loader; 0: not known. As above.
constinit std::atomic<std::size_t> g_lists_at{0};

/// The loader's counter of the objects that it has opened; nullptr: not known. relaxed: a thread that has an
/// address in a new object has got it from the thread which has opened it, and its count with it.
constinit std::atomic<const Address*> g_count{nullptr};
constinit std::atomic<bool> g_has_looked_for_count{false}; // relaxed: each thread would find the same
/// The value of that counter when this process was forked. relaxed: written while it has one thread.
constinit std::atomic<Address> g_count_at_fork{0};

constexpr std::string_view k_c_library = "libc.so.6";

bool is_ours(const ElfObject& object) noexcept { return object.dynamic() == _DYNAMIC; }

int find_runtime(dl_phdr_info* info, std::size_t, void* data) noexcept {
  const ElfObject object(*info);
  if (is_ours(object) || !is_runtime(object)) return 0;
  *static_cast<LoadedObject*>(data) = {object, extent_of(*info), info->dlpi_name};
  return 1;
}

/// In: a name in the list of libraries that an object was linked with. Out: the object that it stands for.
struct Needed {
  std::string_view name;
  LoadedObject object;
};
int find_needed(dl_phdr_info* info, std::size_t, void* data) noexcept {
  auto& needed = *static_cast<Needed*>(data);
  const ElfObject object(*info);
  const std::string_view path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  std::string_view file = path;
  file.remove_prefix(path.rfind('/') + 1); // npos + 1 is 0
  if (object.soname() != needed.name && path != needed.name && file != needed.name) return 0;
  needed.object = {object, extent_of(*info), info->dlpi_name};
  return 1;
}

/// Returns whether the kernel can read a word at `address`. It fetches the mask before it rejects the
/// first argument.
bool is_readable(std::uintptr_t address) noexcept {
  constexpr long k_no_such_way = -1;
  return config::system_call(SYS_rt_sigprocmask, k_no_such_way, address, 0L, sizeof(std::uint64_t)) ==
         -EINVAL;
}

/// The loader's records are longer than in <link.h>, and the places in them depend on its version. The
/// program's record has a list of all initial objects, whose content is known, and a pointer to a list of
/// lists that begins with this one. This pointer stands at one place in all records.
std::size_t find_lists(const link_map* first, const link_map* own, const link_map* last) noexcept {
  constexpr std::size_t k_words = 128; // records have more
  unsigned most = 1;
  for (const link_map* map = first; map != last; map = map->l_next) ++most;
  const auto* const words = reinterpret_cast<const std::uintptr_t*>(first);
  const auto is_initial_list = [&](std::size_t at) {
    const auto count = static_cast<unsigned>(words[at + 1]);
    // The kernel's object, and the loader, need not be in it.
    if (count < 2 || count > most || count + 2 < most || words[at] % alignof(void*) != 0) return false;
    if (!is_readable(words[at]) || !is_readable(words[at] + (count - 1) * sizeof(void*))) return false;
    const auto* const objects = reinterpret_cast<const link_map* const*>(words[at]);
    return objects[0] == first && std::find(objects, objects + count, own) != objects + count;
  };
  const auto leads_to = [&](const link_map* record, std::size_t at, const void* list) {
    const auto* const own_words = reinterpret_cast<const std::uintptr_t*>(record);
    const std::uintptr_t lists = own_words[at];
    return lists - reinterpret_cast<std::uintptr_t>(own_words) < (k_words + 32) * sizeof(void*) &&
           lists % alignof(void*) == 0 && *reinterpret_cast<const void* const*>(lists) == list;
  };
  for (std::size_t at = sizeof(link_map) / sizeof(void*); at < k_words; ++at) {
    if (!is_initial_list(at)) continue;
    for (std::size_t lists = at + 2; lists < k_words; ++lists)
      if (leads_to(first, lists, &words[at]) && leads_to(own, lists, &words[at])) return lists;
  }
  return 0;
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
  g_page_size.store(auxiliary_value(AT_PAGESZ, 0), std::memory_order_relaxed);
  const link_map* last = own;
  bool has_c_library =
      false; // which every program is linked with, and a library that is opened later follows
  for (; last->l_next != nullptr; last = last->l_next)
    has_c_library = has_c_library || ElfObject(*last->l_next).soname() == k_c_library;
  if (!has_c_library) return;
  g_last.store(last, std::memory_order_relaxed);
  g_lists_at.store(find_lists(first, own, last), std::memory_order_relaxed);
}

const SearchedList* const* const* searched_lists(const LoadedObject& object) noexcept {
  const std::size_t at = g_lists_at.load(std::memory_order_relaxed);
  if (at == 0 || object.record == nullptr) return nullptr;
  return &reinterpret_cast<const SearchedList* const* const*>(object.record)[at];
}

LoadedObject program() noexcept {
  const link_map* const first = first_initial();
  return first != nullptr ? object_around(first->l_ld) : LoadedObject{};
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
    return {ElfObject(*found.dlfo_link_map),
            {begin, end - begin},
            found.dlfo_link_map->l_name,
            found.dlfo_link_map};
  }
#endif
  Around around{address, {}};
  dl_iterate_phdr(find_around, &around);
  return around.object;
}

Address page_size() noexcept { return g_page_size.load(std::memory_order_relaxed); }

std::span<const ElfW(Phdr)> segments_of(const LoadedObject& object) noexcept {
  const Address page = page_size(), begin = object.extent.begin & ~(page - 1);
  const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(begin);
  if (page == 0 || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_phentsize != sizeof(ElfW(Phdr)) || header.e_phoff + header.e_phnum * sizeof(ElfW(Phdr)) > page)
    return {};
  return {reinterpret_cast<const ElfW(Phdr)*>(begin + header.e_phoff), header.e_phnum};
}

int walk(VisitObject* visit, void* data) noexcept {
  static constinit thread_local bool walks __attribute__((tls_model("initial-exec"))) = false;
  if (walks) return 1;
  walks = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const int result = dl_iterate_phdr(visit, data);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  walks = false;
  return result;
}

unsigned long long opened_objects() noexcept {
  if (const Address* const count = g_count.load(std::memory_order_relaxed))
    return std::atomic_ref<Address>(const_cast<Address&>(*count)).load(std::memory_order_relaxed);
  unsigned long long opened = 0;
  walk(
      [](dl_phdr_info* info, std::size_t, void* data) noexcept {
        *static_cast<unsigned long long*>(data) = info->dlpi_adds;
        return 1;
      },
      &opened);
  return opened;
}

void check_count(unsigned long long opened) noexcept {
  if (const Address* const count = g_count.load(std::memory_order_relaxed);
      count != nullptr && *count != opened)
    g_count.store(nullptr, std::memory_order_relaxed);
  if (g_has_looked_for_count.exchange(true, std::memory_order_relaxed)) return;
  // The loader's variable begins with the lists of its namespaces, which are longer than this in front of
  // the first one's table of symbols; locks follow them, and then the counter.
  constexpr SymbolName k_loaders("_rtld_global");
  constexpr std::size_t k_words_of_first_list = 64;
  for (const link_map* map = first_initial(); map != nullptr; map = map->l_next) {
    const std::span<const Address> words = ElfObject(*map).find_variable(k_loaders);
    if (words.size() <= k_words_of_first_list) continue;
    const auto found = std::find(words.begin() + k_words_of_first_list, words.end(), opened);
    return g_count.store(found != words.end() ? &*found : nullptr, std::memory_order_relaxed);
  }
}

void note_fork() noexcept {
  if (const Address* const count = g_count.load(std::memory_order_relaxed))
    g_count_at_fork.store(*count, std::memory_order_relaxed);
}

bool walk_may_never_end() noexcept {
  const Address at_fork = g_count_at_fork.load(std::memory_order_relaxed);
  return at_fork != 0 && opened_objects() == at_fork;
}

bool is_there(const LoadedObject& object) noexcept {
  return object_around(reinterpret_cast<const void*>(object.extent.begin)).tables == object.tables;
}

LoadedObject needed_object(std::string_view name) noexcept {
  Needed needed{name, {}};
  dl_iterate_phdr(find_needed, &needed);
  return needed.object;
}

LoadedObject first_runtime() noexcept {
  LoadedObject found;
  dl_iterate_phdr(find_runtime, &found);
  return found;
}

std::size_t find_runtimes_of(const LoadedObject& caller, std::span<LoadedObject> room) noexcept {
  // An object that `caller` needs stays loaded as long as `caller` does, whose code is calling.
  struct Entry {
    Address base;
    const ElfW(Dyn) * dynamic;
  };
  std::array<Entry, 64> queue; // small, because it may be on the stack of a fiber; later objects are left out
  std::size_t known = 0, found = 0;
  const auto add = [&](const LoadedObject& object) {
    const auto end = queue.begin() + static_cast<std::ptrdiff_t>(known);
    if (known == queue.size() || !object ||
        std::any_of(queue.begin(), end, [&](const Entry& e) { return e.dynamic == object.tables.dynamic(); }))
      return;
    queue[known++] = {object.tables.base(), object.tables.dynamic()};
    if (found < room.size() && !is_ours(object.tables) && is_runtime(object.tables)) room[found++] = object;
  };
  add(caller);
  for (std::size_t next = 0; next < known && found < room.size(); ++next)
    ElfObject(queue[next].base, queue[next].dynamic).any_needed([&](std::string_view name) {
      add(needed_object(name));
      return false;
    });
  return found;
}

} // namespace wstree::abi
