// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/elf_object.h"

#include <type_traits>

namespace wstree::abi {

const char k_own_address = 0;

Extent extent_of(const dl_phdr_info& info) noexcept {
  Address low = ~Address{0};
  Address high = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const Address begin = info.dlpi_addr + segment.p_vaddr;
    low = begin < low ? begin : low;
    high = begin + segment.p_memsz > high ? begin + segment.p_memsz : high;
  }
  return high > low ? Extent{low, high - low} : Extent{};
}

ElfObject::ElfObject(const dl_phdr_info& info) noexcept : base_(info.dlpi_addr) {
  for (int i = 0; i < info.dlpi_phnum; ++i)
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
      read(reinterpret_cast<const ElfW(Dyn)*>(base_ + info.dlpi_phdr[i].p_vaddr));
}

void ElfObject::read(const ElfW(Dyn) * dynamic) noexcept {
  if (dynamic == nullptr) return;
  std::array<Address, DT_NUM> values{}; // by tag
  Address versions = 0, gnu_hash = 0;
  for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
    const Address value = entry->d_un.d_val;
    if (entry->d_tag > 0 && entry->d_tag < DT_NUM)
      values[static_cast<std::size_t>(entry->d_tag)] = value;
    else if (entry->d_tag == DT_VERSYM)
      versions = value;
    else if (entry->d_tag == DT_GNU_HASH)
      gnu_hash = value;
  }
  const auto point = [&](auto*& pointer, Address at) {
    if (at == 0) return;
    // The loader relocates these pointers in place where it can write to them. In the vDSO it cannot.
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(at < base_ ? base_ + at : at);
  };
  point(symbols_, values[DT_SYMTAB]);
  point(strings_, values[DT_STRTAB]);
  point(versions_, versions);
  point(gnu_hash_, gnu_hash);
  point(old_hash_, values[DT_HASH]);
  if (symbols_ == nullptr || strings_ == nullptr) return;
  const ElfW(Rela)* calls = nullptr;
  const ElfW(Rela)* references = nullptr;
  point(calls, values[DT_JMPREL]);
  point(references, values[DT_RELA]);
  if (calls != nullptr) calls_ = {calls, values[DT_PLTRELSZ] / sizeof *calls};
  if (references != nullptr) references_ = {references, values[DT_RELASZ] / sizeof *references};
  soname_ = values[DT_SONAME];
  dynamic_ = dynamic;
}

namespace {

constexpr ElfW(Versym) k_not_the_default = 0x8000;
constexpr ElfW(Versym) k_number = 0x7fff;

/// Returns the entry that stands `offset` bytes behind `entry`.
template <class Next, class Entry> const Next* behind(const Entry* entry, std::uint32_t offset) noexcept {
  return reinterpret_cast<const Next*>(reinterpret_cast<const char*>(entry) + offset);
}

} // namespace

const void* ElfObject::table(ElfW(Sxword) tag) const noexcept {
  for (const ElfW(Dyn)* entry = dynamic_; entry != nullptr && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == tag) { // see read()
      const Address at = entry->d_un.d_ptr;
      return reinterpret_cast<const void*>(at < base_ ? base_ + at : at);
    }
  return nullptr;
}

Versions ElfObject::versions_of(const ElfW(Rela) & relocation) const noexcept {
  const auto* of_file = static_cast<const ElfW(Verneed)*>(table(DT_VERNEED));
  if (versions_ == nullptr || of_file == nullptr) return Versions::any;
  const unsigned number = versions_[ELF64_R_SYM(relocation.r_info)] & k_number;
  for (;; of_file = behind<ElfW(Verneed)>(of_file, of_file->vn_next)) {
    const auto* each = behind<ElfW(Vernaux)>(of_file, of_file->vn_aux);
    for (unsigned i = 0; i < of_file->vn_cnt; ++i, each = behind<ElfW(Vernaux)>(each, each->vna_next))
      if (each->vna_other == number) return versions_named(strings_ + each->vna_name);
    if (of_file->vn_next == 0) return Versions::any;
  }
}

/// Returns whether the loader takes the definition at `index` for a reference that wants such a version.
bool ElfObject::has_version(std::uint32_t index, Versions wanted) const noexcept {
  if (versions_ == nullptr) return true;
  const ElfW(Versym) version = versions_[index];
  const bool is_default = (version & k_not_the_default) == 0;
  if (wanted == Versions::any) return is_default;
  const unsigned number = version & k_number;
  if (number <= VER_NDX_GLOBAL) return is_default; // it has none, and takes the place of any
  const auto* each = static_cast<const ElfW(Verdef)*>(table(DT_VERDEF));
  if (each == nullptr) return is_default;
  for (;; each = behind<ElfW(Verdef)>(each, each->vd_next)) {
    if (each->vd_ndx == number)
      return versions_named(strings_ + behind<ElfW(Verdaux)>(each, each->vd_aux)->vda_name) == wanted;
    if (each->vd_next == 0) return false;
  }
}

template <class Visit>
bool ElfObject::any_symbol(const SymbolName& name, Versions wanted, Visit&& visit) const noexcept {
  if (symbols_ == nullptr || strings_ == nullptr) return false;
  const auto is_found = [&](std::uint32_t index) {
    const ElfW(Sym)& symbol = symbols_[index];
    return symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0 && name.text == strings_ + symbol.st_name &&
           has_version(index, wanted) && visit(symbol);
  };
  if (gnu_hash_ != nullptr) {
    const std::uint32_t buckets = gnu_hash_[0];
    const std::uint32_t first = gnu_hash_[1];
    const std::uint32_t filter_words = gnu_hash_[2];
    const std::uint32_t shift = gnu_hash_[3];
    const auto* filter = reinterpret_cast<const ElfW(Addr)*>(gnu_hash_ + 4);
    constexpr std::uint32_t k_bits = sizeof(ElfW(Addr)) * 8;
    if (buckets == 0 || filter_words == 0) return false;
    const ElfW(Addr) word = filter[name.gnu_hash / k_bits % filter_words];
    if ((word >> name.gnu_hash % k_bits & word >> (name.gnu_hash >> shift) % k_bits & 1U) == 0) return false;
    const std::uint32_t* bucket = gnu_hash_ + 4 + filter_words * (k_bits / 32);
    const std::uint32_t* chain = bucket + buckets;
    std::uint32_t index = bucket[name.gnu_hash % buckets];
    if (index < first) return false;
    for (;; ++index) {
      const std::uint32_t here = chain[index - first];
      if ((here | 1U) == (name.gnu_hash | 1U) && is_found(index)) return true;
      if ((here & 1U) != 0) return false;
    }
  }
  if (old_hash_ == nullptr || old_hash_[0] == 0) return false;
  const std::uint32_t buckets = old_hash_[0];
  const std::uint32_t* bucket = old_hash_ + 2;
  for (std::uint32_t index = bucket[name.old_hash % buckets]; index != STN_UNDEF;
       index = bucket[buckets + index])
    if (is_found(index)) return true;
  return false;
}

void* ElfObject::find(const SymbolName& name, Versions wanted) const noexcept {
  void* found = nullptr;
  any_symbol(name, wanted, [&](const ElfW(Sym) & symbol) {
    const auto type = ELF64_ST_TYPE(symbol.st_info); // the macro is the same for both classes
    if (type == STT_FUNC || type == STT_NOTYPE) found = reinterpret_cast<void*>(base_ + symbol.st_value);
    return found != nullptr;
  });
  return found;
}

bool ElfObject::has_function(const SymbolName& name) const noexcept {
  return any_symbol(name, Versions::any, [](const ElfW(Sym) & symbol) {
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    return type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC;
  });
}

std::span<const Address> ElfObject::find_variable(const SymbolName& name) const noexcept {
  std::span<const Address> found;
  any_symbol(name, Versions::any, [&](const ElfW(Sym) & symbol) {
    if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT)
      found = {reinterpret_cast<const Address*>(base_ + symbol.st_value), symbol.st_size / sizeof(Address)};
    return !found.empty();
  });
  return found;
}

} // namespace wstree::abi
