// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/libc.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>

namespace wstree::abi {
namespace {

using Address = std::uintptr_t;

const char k_marker = 0; // an address in this library

/// How a loaded object finds the symbols that it defines.
struct Tables {
  Address base = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Versym) * versions = nullptr;
  const std::uint32_t* gnu_hash = nullptr;
  const std::uint32_t* old_hash = nullptr; // of objects that have no other
};

Tables read_tables(const link_map& object) noexcept {
  Tables tables;
  tables.base = object.l_addr;
  if (object.l_ld == nullptr) return tables;
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
    // The loader relocates these pointers in place where it can write to them, which it cannot in the vDSO.
    const Address value = entry->d_un.d_ptr;
    const auto* pointer = reinterpret_cast<const void*>(value < tables.base ? tables.base + value : value);
    switch (entry->d_tag) {
    case DT_SYMTAB:
      tables.symbols = static_cast<const ElfW(Sym)*>(pointer);
      break;
    case DT_STRTAB:
      tables.strings = static_cast<const char*>(pointer);
      break;
    case DT_VERSYM:
      tables.versions = static_cast<const ElfW(Versym)*>(pointer);
      break;
    case DT_GNU_HASH:
      tables.gnu_hash = static_cast<const std::uint32_t*>(pointer);
      break;
    case DT_HASH:
      tables.old_hash = static_cast<const std::uint32_t*>(pointer);
      break;
    default:
      break;
    }
  }
  return tables;
}

/// The symbol with this index, if it is the wanted function in the version that is the default.
void* function_at(const Tables& tables, std::uint32_t index, const Definition& wanted) noexcept {
  constexpr ElfW(Versym) k_not_the_default = 0x8000;
  const ElfW(Sym)& symbol = tables.symbols[index];
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0) return nullptr;
  // ELF64_ST_TYPE is the same for both classes.
  if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC && ELF64_ST_TYPE(symbol.st_info) != STT_NOTYPE)
    return nullptr;
  if (tables.versions != nullptr && (tables.versions[index] & k_not_the_default) != 0) return nullptr;
  if (wanted.name != tables.strings + symbol.st_name) return nullptr;
  return reinterpret_cast<void*>(tables.base + symbol.st_value);
}

void* find_by_gnu_hash(const Tables& tables, const Definition& wanted) noexcept {
  const std::uint32_t buckets = tables.gnu_hash[0];
  const std::uint32_t first = tables.gnu_hash[1];
  const std::uint32_t filter_words = tables.gnu_hash[2];
  const std::uint32_t shift = tables.gnu_hash[3];
  const auto* filter = reinterpret_cast<const ElfW(Addr)*>(tables.gnu_hash + 4);
  constexpr std::uint32_t k_bits = sizeof(ElfW(Addr)) * 8;
  if (buckets == 0 || filter_words == 0) return nullptr;
  const ElfW(Addr) word = filter[wanted.gnu_hash / k_bits % filter_words];
  if ((word >> wanted.gnu_hash % k_bits & word >> (wanted.gnu_hash >> shift) % k_bits & 1U) == 0)
    return nullptr;
  const std::uint32_t* bucket = tables.gnu_hash + 4 + filter_words * (k_bits / 32);
  const std::uint32_t* chain = bucket + buckets;
  std::uint32_t index = bucket[wanted.gnu_hash % buckets];
  if (index < first) return nullptr;
  for (;; ++index) {
    const std::uint32_t here = chain[index - first];
    if ((here | 1U) == (wanted.gnu_hash | 1U))
      if (void* found = function_at(tables, index, wanted)) return found;
    if ((here & 1U) != 0) return nullptr;
  }
}

void* find_by_old_hash(const Tables& tables, const Definition& wanted) noexcept {
  const std::uint32_t buckets = tables.old_hash[0];
  const std::uint32_t* bucket = tables.old_hash + 2;
  if (buckets == 0) return nullptr;
  for (std::uint32_t index = bucket[wanted.old_hash % buckets]; index != STN_UNDEF;
       index = bucket[buckets + index])
    if (void* found = function_at(tables, index, wanted)) return found;
  return nullptr;
}

/// Fills in what this object has and nobody before it had. False: nothing is missing any more.
bool look_in(const link_map& object, std::span<Definition* const> wanted) noexcept {
  const Tables tables = read_tables(object);
  if (tables.symbols == nullptr || tables.strings == nullptr) return true;
  bool missing = false;
  for (Definition* definition : wanted) {
    // relaxed: see NextDefinition. Several threads may find the same.
    if (definition->address.load(std::memory_order_relaxed) != nullptr) continue;
    void* found = nullptr;
    if (tables.gnu_hash != nullptr)
      found = find_by_gnu_hash(tables, *definition);
    else if (tables.old_hash != nullptr)
      found = find_by_old_hash(tables, *definition);
    if (found != nullptr)
      definition->address.store(found, std::memory_order_relaxed); // as above
    else
      missing = true;
  }
  return missing;
}

} // namespace

void find_next_definitions(std::span<Definition* const> wanted) noexcept {
  Dl_info info{};
  link_map* own = nullptr;
  if (dladdr1(&k_marker, &info, reinterpret_cast<void**>(&own), RTLD_DL_LINKMAP) == 0 || own == nullptr)
    return;
  for (const link_map* object = own->l_next; object != nullptr; object = object->l_next)
    if (!look_in(*object, wanted)) return;
  // Opened late, or linked behind the C library: that is in front of us.
  const link_map* object = own;
  while (object->l_prev != nullptr) object = object->l_prev;
  for (; object != own; object = object->l_next)
    if (!look_in(*object, wanted)) return;
}

} // namespace wstree::abi
