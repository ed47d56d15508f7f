// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of a loaded object, read without the help of the loader: dlsym() needs an initialised C library
// to report a failure, leaves the report for the program's next dlerror(), and some tools wrap it.
#pragma once

#include <elf.h>
#include <link.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace wstree::abi {

using Address = std::uintptr_t;

/// An address in the object that this code is part of.
extern const char k_own_address;

// The linker puts these at the beginning of the object and at the end of its code.
extern "C" {
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _etext[] __attribute__((visibility("hidden")));
}
/// Returns whether `address` is in the code of the object that this code is part of.
inline bool is_own_code(const void* address) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(&__ehdr_start);
  return reinterpret_cast<std::uintptr_t>(address) - begin <
         reinterpret_cast<std::uintptr_t>(&_etext) - begin;
}

/// The addresses from the first segment of an object to the end of its last one.
struct Extent {
  Address begin = 0;
  Address size = 0;

  bool holds(const void* address) const noexcept { return reinterpret_cast<Address>(address) - begin < size; }
};
Extent extent_of(const dl_phdr_info& info) noexcept;

/// Whose versions a reference or a definition has: libgomp's (GOMP_4.0, OMP_3.0), another library's, or none.
enum class Versions : std::uint8_t { any, gnu, other };
constexpr Versions versions_named(std::string_view version) noexcept {
  if (version.empty()) return Versions::any;
  return version.starts_with("GOMP_") || version.starts_with("OMP_") ? Versions::gnu : Versions::other;
}

/// The name of a function, with the hashes that the linker files it under.
struct SymbolName {
  explicit constexpr SymbolName(std::string_view function) noexcept : text(function) {
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      gnu_hash = gnu_hash * 33 + byte;
      old_hash = (old_hash << 4) + byte;
      old_hash = (old_hash ^ (old_hash >> 24 & 0xf0U)) & 0x0fffffffU;
    }
  }

  std::string_view text;
  std::uint32_t gnu_hash = 5381;
  std::uint32_t old_hash = 0;
};

// Relocations by which the loader fills in the address of a function: for a call, for other uses, and
// in data.
#if defined(__x86_64__)
inline constexpr std::uint32_t k_jump_slot = R_X86_64_JUMP_SLOT;
inline constexpr std::uint32_t k_global_data = R_X86_64_GLOB_DAT;
inline constexpr std::uint32_t k_absolute = R_X86_64_64;
#elif defined(__aarch64__)
inline constexpr std::uint32_t k_jump_slot = R_AARCH64_JUMP_SLOT;
inline constexpr std::uint32_t k_global_data = R_AARCH64_GLOB_DAT;
inline constexpr std::uint32_t k_absolute = R_AARCH64_ABS64;
#endif

/// The dynamic section of a loaded object: the functions that it exports, and those that the loader resolved
/// for it. Allocates nothing, takes no lock and leaves errno alone. The object must stay loaded meanwhile.
class ElfObject {
public:
  using Relocations = std::span<const ElfW(Rela)>;

  ElfObject() = default; ///< an object without a dynamic section
  ElfObject(Address base, const ElfW(Dyn) * dynamic) noexcept : base_(base) { read(dynamic); }
  explicit ElfObject(const link_map& map) noexcept : ElfObject(map.l_addr, map.l_ld) {}
  explicit ElfObject(const dl_phdr_info& info) noexcept;

  Address base() const noexcept { return base_; }
  /// Returns whether two objects of a process are one: they have one dynamic section.
  bool operator==(const ElfObject& other) const noexcept {
    return dynamic_ == other.dynamic_ && base_ == other.base_;
  }
  bool exists() const noexcept { return dynamic_ != nullptr; }
  const ElfW(Dyn) * dynamic() const noexcept { return dynamic_; }

  /// Returns the function that the object exports under `name`: the version to which the loader would bind a
  /// reference with such versions, or, without any, a reference of new programs. nullptr: none.
  void* find(const SymbolName& name, Versions wanted = Versions::any) const noexcept;

  bool defines(const SymbolName& name, Versions wanted = Versions::any) const noexcept {
    return find(name, wanted) != nullptr;
  }
  /// Returns whether the object exports a function under `name`, also one that it chooses for the processor.
  bool has_function(const SymbolName& name) const noexcept;
  /// Returns the whole words of the variable that the object exports under `name`; empty: it has none.
  std::span<const Address> find_variable(const SymbolName& name) const noexcept;

  /// Returns the name that other objects are linked with; empty: it has none.
  std::string_view soname() const noexcept { return soname_ != 0 ? strings_ + soname_ : ""; }

  /// Calls visit(name) for each library that it was linked with, in their order, until one returns true.
  template <class Visit> bool any_needed(Visit&& visit) const noexcept {
    for (const ElfW(Dyn)* entry = dynamic_; entry != nullptr && entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_NEEDED && visit(std::string_view(strings_ + entry->d_un.d_val))) return true;
    return false;
  }
  /// Returns whether the object was linked with a library whose name begins like this.
  bool needs(std::string_view library) const noexcept {
    return any_needed([&](std::string_view name) { return name.starts_with(library); });
  }

  /// Returns the calls and the other references that the loader resolved.
  std::array<Relocations, 2> relocations() const noexcept { return {calls_, references_}; }
  const char* name_of_symbol(const ElfW(Rela) & relocation) const noexcept {
    return strings_ + symbols_[ELF64_R_SYM(relocation.r_info)].st_name;
  }
  /// Returns the runtime whose version the reference wants.
  Versions versions_of(const ElfW(Rela) & relocation) const noexcept;
  /// Returns whether the program runs without the function.
  bool is_weak(const ElfW(Rela) & relocation) const noexcept {
    return ELF64_ST_BIND(symbols_[ELF64_R_SYM(relocation.r_info)].st_info) == STB_WEAK;
  }

private:
  void read(const ElfW(Dyn) * dynamic) noexcept;
  /// Returns the table that the dynamic section names by `tag`; nullptr: none.
  const void* table(ElfW(Sxword) tag) const noexcept;
  bool has_version(std::uint32_t index, Versions wanted) const noexcept;
  /// Calls visit(symbol) for each exported symbol of that name and version until one returns true. Returns
  /// whether one did.
  template <class Visit>
  bool any_symbol(const SymbolName& name, Versions wanted, Visit&& visit) const noexcept;

  Address base_ = 0;
  const ElfW(Dyn) * dynamic_ = nullptr;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* strings_ = nullptr;
  const ElfW(Versym) * versions_ = nullptr;
  const std::uint32_t* gnu_hash_ = nullptr;
  const std::uint32_t* old_hash_ = nullptr; // some objects have only this one
  Relocations calls_;
  Relocations references_;
  Address soname_ = 0; // in strings_; 0: none
};

} // namespace wstree::abi
