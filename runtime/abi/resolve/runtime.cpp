// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/runtime.h"

#include "fixed_text.h"
#include "message.h"
#include "resolve/elf_object.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <new>
#include <string_view>

namespace wstree::abi {
namespace {

/// Where the object around `address` begins.
void* base_of(const void* address) noexcept {
  Dl_info info{};
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

bool is_ours(const void* address) noexcept {
  void* const base = base_of(address);
  return base != nullptr && base == base_of(&k_own_address);
}

/// The definition that `object` (a path as the loader knows it; "" is the program) sees, unless it is ours.
void* symbol_seen_by(const char* object, const char* name) noexcept {
  void* handle = dlopen(object[0] != '\0' ? object : nullptr, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* found = dlsym(handle, name);
  dlclose(handle); // the object stays: its code called us, or the loader listed it
  return found != nullptr && !is_ours(found) ? found : nullptr;
}

/// The object around `address` as the loader knows it; nullptr: there is none.
const link_map* object_around(const void* address) noexcept {
  Dl_info info{};
  link_map* map = nullptr;
  return dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0 ? map : nullptr;
}

/// The definition of `name` in the object that holds `address`; nullptr: it has none.
void* symbol_beside(const void* address, const char* name) noexcept {
  const link_map* const map = object_around(address);
  void* const found = map != nullptr ? symbol_seen_by(map->l_name, name) : nullptr;
  return found != nullptr && base_of(found) == base_of(address) ? found : nullptr;
}

/// Whether the object that holds `definition` is an OpenMP runtime. Tools wrap single functions.
bool is_in_runtime(const void* definition) noexcept {
  return symbol_beside(definition, k_runtime_function) != nullptr;
}

/// What the object around `caller` sees besides what all see, which is what it defines itself, was linked
/// with, or brought along. The program has nothing besides: its order is everybody's. If the object defines
/// the function itself, it is either a tool, whose wrapper has just called us and wants the next definition,
/// or an OpenMP runtime that calls its own function through us, and gets that back.
void* symbol_for(const void* caller, const char* name) noexcept {
  const link_map* const map = object_around(caller);
  if (map == nullptr || map->l_name[0] == '\0') return nullptr;
  void* const found = symbol_seen_by(map->l_name, name);
  if (found == nullptr || base_of(found) != base_of(caller)) return found;
  return is_in_runtime(found) ? found : nullptr;
}

/// The first definition besides ours that all see: of a runtime in front of us, else behind us. (In front of
/// us there may be a tool, too, whose wrapper has called us.)
[[gnu::noinline]] void* symbol_for_all(const char* name) noexcept {
  // A tail call would make dlsym look from, or behind, the wrong object, so results go into variables.
  void* volatile found = dlsym(RTLD_DEFAULT, name);
  if (found == nullptr || is_ours(found) || !is_in_runtime(found)) found = dlsym(RTLD_NEXT, name);
  return found;
}

/// What the loader takes for code at `caller`, but for this library; nullptr: it finds nothing.
void* symbol_of_loader(const void* caller, const char* name) noexcept {
  void* const own = symbol_for(caller, name);
  const bool is_runtimes_own = own != nullptr && base_of(own) == base_of(caller);
  void* const found = is_runtimes_own ? own : symbol_for_all(name);
  return found != nullptr ? found : own;
}

/// The same for a function that opens regions, if a runtime has it.
const void* entry_of_runtime(const void* caller, const char* name) noexcept {
  const void* const found = symbol_of_loader(caller, name);
  return found != nullptr && is_in_runtime(found) ? found : nullptr;
}

/// In: how many objects to pass over; out: the name of the next one, empty for the program.
struct Listed {
  std::size_t number;
  config::FixedText<PATH_MAX> name;
};

int copy_name(dl_phdr_info* object, std::size_t, void* data) noexcept {
  auto* listed = static_cast<Listed*>(data);
  if (listed->number > 0) {
    --listed->number;
    return 0;
  }
  listed->name.append(object->dlpi_name != nullptr ? object->dlpi_name : "");
  return 1;
}

/// The first definition that any object sees. We list the objects one by one and ask each of them afterwards:
/// during dl_iterate_phdr the loader holds a lock that dlopen takes behind another one, and asking takes
/// that.
[[gnu::noinline]] void* symbol_seen_by_any(const char* name) noexcept {
  for (std::size_t number = 0;; ++number) {
    Listed listed{number, {}};
    if (dl_iterate_phdr(copy_name, &listed) == 0) return nullptr;
    if (listed.name.truncated()) continue;
    if (void* found = symbol_seen_by(listed.name.c_str(), name)) return found;
  }
}

/// In: an address; out: the extent of the object that holds it.
struct Holder {
  const void* address;
  Extent extent;
};

int find_holder(dl_phdr_info* object, std::size_t, void* data) noexcept {
  auto* holder = static_cast<Holder*>(data);
  const Extent extent = extent_of(*object);
  if (!extent.holds(holder->address)) return 0;
  holder->extent = extent;
  return 1;
}

/// Keeps the object that holds `address` mapped, and with it the runtime that it brought along: a binding of
/// its address range would be wrong for the object that is mapped there next.
void keep_loaded(const void* address) noexcept {
  const link_map* const map = object_around(address);
  if (map == nullptr || map->l_name[0] == '\0') return; // the program stays anyway
  if (void* handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)) dlclose(handle);
}

/// Whether the code of `object` calls functions whose names begin like this.
bool calls(const ElfObject& object, std::string_view prefix) noexcept {
  for (const auto& relocations : object.relocations())
    for (const auto& relocation : relocations)
      if (std::string_view(object.name_of_symbol(relocation)).starts_with(prefix)) return true;
  return false;
}

/// An object of gcc that was linked with this library, and calls nothing that it lacks, has no runtime: the
/// linker has left libgomp out, because all that the object calls was defined. Not where any runtime is.
void* symbol_of_libgomp(const void* caller, const char* name) noexcept {
  const std::string_view text(name);
  if (!text.starts_with("GOMP_") && !text.starts_with("omp_")) return nullptr;
  if (symbol_seen_by_any(k_runtime_function) != nullptr) return nullptr;
  const link_map* const map = object_around(caller);
  if (map == nullptr) return nullptr;
  const ElfObject object(*map);
  if (!object.needs("libwstree.so") || !calls(object, "GOMP_")) return nullptr;
  void* const handle = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_GLOBAL);
  return handle != nullptr ? dlsym(handle, name) : nullptr;
}

} // namespace

void* real_symbol(const char* name, const void* caller) noexcept {
  const int saved_errno = errno;
  void* found = symbol_of_loader(caller, name);
  if (found == nullptr) found = symbol_seen_by_any(name);
  if (found == nullptr) found = symbol_of_libgomp(caller, name);
  errno = saved_errno;
  return found;
}

void* symbol_of_regions(const char* name, const void* caller) noexcept {
  const int saved_errno = errno;
  const void* const clangs = entry_of_runtime(caller, "__kmpc_fork_call");
  const void* const gccs = entry_of_runtime(caller, "GOMP_parallel");
  const void* entry = clangs != nullptr ? clangs : gccs;
  bool is_clear = true;
  if (clangs != nullptr && gccs != nullptr && base_of(clangs) != base_of(gccs)) {
    const link_map* const map = object_around(caller);
    const ElfObject object = map != nullptr ? ElfObject(*map) : ElfObject();
    const bool calls_clangs = calls(object, "__kmpc_"), calls_gccs = calls(object, "GOMP_");
    is_clear = !calls_clangs || !calls_gccs;
    entry = calls_clangs ? clangs : calls_gccs ? gccs : nullptr;
  }
  void* found = is_clear && entry != nullptr ? symbol_beside(entry, name) : nullptr;
  errno = saved_errno;
  return found == nullptr && is_clear ? real_symbol(name, caller) : found;
}

bool is_beside(const void* address, const char* name) noexcept {
  const int saved_errno = errno;
  const bool is = symbol_beside(address, name) != nullptr;
  errno = saved_errno;
  return is;
}

void fail_for_want_of(const char* name) noexcept {
  constexpr int k_status = 127; // the loader's
  static constinit std::atomic<bool> ending{false};
  // relaxed: only one of the members says it; the others wait for the end.
  while (ending.exchange(true, std::memory_order_relaxed)) pause();
  config::FixedText<256> line("wstree: symbol lookup error: no OpenMP runtime here has ");
  line.append(name);
  observe::say(line.view());
  _exit(k_status);
}

void* bind(const char* name, const void* caller, std::atomic<const Binding*>& list, bool optional,
           Resolve* resolve) noexcept {
  void* address = resolve(name, caller);
  if (address == nullptr && !optional) return nullptr;
  Holder holder{caller, {reinterpret_cast<Address>(caller), 1}};
  dl_iterate_phdr(find_holder, &holder);
  keep_loaded(caller);
  auto* made = new (std::nothrow) Binding{holder.extent.begin, holder.extent.size, address, nullptr, &list};
  if (made == nullptr) return address;
  made->older = list.load(std::memory_order_relaxed);
  // release: the binding is complete before others find it; pairs with the acquire in Real::latest(). Two
  // threads may add the same one, which does no harm.
  while (
      !list.compare_exchange_weak(made->older, made, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return address;
}

} // namespace wstree::abi
