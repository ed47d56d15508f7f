// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/rebind.h"

#include "resolve/libc.h"
#include "resolve/runtime.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>

namespace wstree::abi {
namespace {

using Address = std::uintptr_t;

#if defined(__x86_64__)
constexpr std::uint32_t k_jump_slot = R_X86_64_JUMP_SLOT;
constexpr std::uint32_t k_global_data = R_X86_64_GLOB_DAT;
constexpr std::uint32_t k_absolute = R_X86_64_64;
#elif defined(__aarch64__)
constexpr std::uint32_t k_jump_slot = R_AARCH64_JUMP_SLOT;
constexpr std::uint32_t k_global_data = R_AARCH64_GLOB_DAT;
constexpr std::uint32_t k_absolute = R_AARCH64_ABS64;
#endif

/// A thread sanitizer replaces this function in the program, and is not ready when we are loaded: the C
/// library's is called.
constinit NextDefinition<int(int (*)(dl_phdr_info*, std::size_t, void*), void*)> g_for_each_object{
    "dl_iterate_phdr"};

/// The tables of a loaded object.
struct Object {
  Address base = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * tables[2] = {};
  std::size_t sizes[2] = {};
  Address relro_begin = 0; // pages that became read-only after relocation
  Address relro_end = 0;
  const std::uint32_t* gnu_hash = nullptr;
};

/// The loader relocates the pointers of most objects' dynamic section in place, but not all (the vDSO's).
Address absolute(Address base, Address value) noexcept { return value < base ? base + value : value; }

bool read_object(const dl_phdr_info& info, Object& object) noexcept {
  object.base = info.dlpi_addr;
  const ElfW(Dyn)* dynamic = nullptr;
  const auto page = static_cast<Address>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    if (header.p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(object.base + header.p_vaddr);
    if (header.p_type == PT_GNU_RELRO) {
      object.relro_begin = (object.base + header.p_vaddr) & ~(page - 1);
      object.relro_end = (object.base + header.p_vaddr + header.p_memsz) & ~(page - 1);
    }
  }
  if (dynamic == nullptr) return false;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    const Address value = dynamic->d_un.d_ptr;
    switch (dynamic->d_tag) {
    case DT_SYMTAB:
      object.symbols = reinterpret_cast<const ElfW(Sym)*>(absolute(object.base, value));
      break;
    case DT_STRTAB:
      object.strings = reinterpret_cast<const char*>(absolute(object.base, value));
      break;
    case DT_JMPREL:
      object.tables[0] = reinterpret_cast<const ElfW(Rela)*>(absolute(object.base, value));
      break;
    case DT_PLTRELSZ:
      object.sizes[0] = value / sizeof(ElfW(Rela));
      break;
    case DT_RELA:
      object.tables[1] = reinterpret_cast<const ElfW(Rela)*>(absolute(object.base, value));
      break;
    case DT_RELASZ:
      object.sizes[1] = value / sizeof(ElfW(Rela));
      break;
    case DT_GNU_HASH:
      object.gnu_hash = reinterpret_cast<const std::uint32_t*>(absolute(object.base, value));
      break;
    default:
      break;
    }
  }
  return object.symbols != nullptr && object.strings != nullptr;
}

bool holds(const dl_phdr_info& info, const void* address) noexcept {
  const auto wanted = reinterpret_cast<Address>(address);
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    const Address begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && wanted >= begin && wanted < begin + header.p_memsz) return true;
  }
  return false;
}

constexpr std::uint32_t gnu_hash_of(std::string_view name) noexcept {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

/// The function that `object` defines and exports under `name`; 0 if there is none.
Address exported(const Object& object, std::string_view name) noexcept {
  if (object.gnu_hash == nullptr) return 0;
  const std::uint32_t buckets = object.gnu_hash[0];
  const std::uint32_t first = object.gnu_hash[1];
  const std::uint32_t bloom_words = object.gnu_hash[2];
  const std::uint32_t* bucket = object.gnu_hash + 4 + bloom_words * (sizeof(Address) / sizeof(std::uint32_t));
  const std::uint32_t* chain = bucket + buckets;
  const std::uint32_t hash = gnu_hash_of(name);
  std::uint32_t index = buckets == 0 ? 0 : bucket[hash % buckets];
  if (index < first) return 0;
  while (true) {
    const std::uint32_t here = chain[index - first];
    if ((here | 1U) == (hash | 1U) && name == object.strings + object.symbols[index].st_name)
      return object.base + object.symbols[index].st_value;
    if ((here & 1U) != 0) return 0;
    ++index;
  }
}

const char k_marker = 0; // an address in this library

int find_ourselves(dl_phdr_info* info, std::size_t, void* data) noexcept {
  return holds(*info, &k_marker) && read_object(*info, *static_cast<Object*>(data)) ? 1 : 0;
}

void write_slot(const Object& object, Address slot, Address value) noexcept {
  const auto page = static_cast<Address>(sysconf(_SC_PAGESIZE));
  auto* start = reinterpret_cast<void*>(slot & ~(page - 1));
  const bool locked = slot >= object.relro_begin && slot < object.relro_end;
  if (locked && mprotect(start, page, PROT_READ | PROT_WRITE) != 0)
    return; // stays with the runtime, which works too
  *reinterpret_cast<Address*>(slot) = value;
  if (locked) mprotect(start, page, PROT_READ);
}

/// The first object before us, in the loader's order, that defines `name`.
struct Provider {
  std::string_view name;
  bool is_runtime = false; // and not a tool that wraps the function
};
int find_provider(dl_phdr_info* info, std::size_t, void* data) noexcept {
  auto& provider = *static_cast<Provider*>(data);
  Object object;
  if (holds(*info, &k_marker)) return 1;
  if (!read_object(*info, object) || exported(object, provider.name) == 0) return 0;
  provider.is_runtime = exported(object, "omp_get_num_threads") != 0;
  return 1;
}

bool comes_from_runtime(std::string_view name) noexcept {
  Provider provider{name};
  g_for_each_object(0, find_provider, &provider);
  return provider.is_runtime;
}

int rebind_object(dl_phdr_info* info, std::size_t, void* data) noexcept {
  const Object& ours = *static_cast<const Object*>(data);
  Object object;
  if (holds(*info, &k_marker) || !read_object(*info, object)) return 0;
  for (int t = 0; t < 2; ++t) {
    for (std::size_t i = 0; object.tables[t] != nullptr && i < object.sizes[t]; ++i) {
      const ElfW(Rela)& entry = object.tables[t][i];
      const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info));
      if (type != k_jump_slot && type != k_global_data && (type != k_absolute || entry.r_addend != 0))
        continue;
      const ElfW(Sym)& symbol = object.symbols[ELF64_R_SYM(entry.r_info)];
      const std::string_view name = object.strings + symbol.st_name;
      if (!name.starts_with("__kmpc_") && !name.starts_with("GOMP_") && !name.starts_with("omp_")) continue;
      const Address target = exported(ours, name);
      if (target != 0 && comes_from_runtime(name)) write_slot(object, object.base + entry.r_offset, target);
    }
  }
  return 0;
}

} // namespace

void rebind_if_shadowed() noexcept {
  Object ours;
  if (g_for_each_object(0, find_ourselves, &ours) == 0) return;
  // libgomp has the second one only.
  if (comes_from_runtime("__kmpc_dispatch_init_4") || comes_from_runtime("GOMP_parallel"))
    g_for_each_object(0, rebind_object, &ours);
}

} // namespace wstree::abi
