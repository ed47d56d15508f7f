// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "proven_process.h"

#include "resolve/loaded_objects.h"

#include <cstring>
#include <span>
#include <string_view>

namespace wstree::abi {
namespace {

using Headers = std::span<const ElfW(Phdr)>;

/// Returns the program headers of `object`; none if they are not at its beginning, where linkers put them.
Headers headers_of(const LoadedObject& object) noexcept {
  const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(object.extent.begin);
  if (object.extent.size < sizeof *header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_phentsize != sizeof(ElfW(Phdr)))
    return {};
  const std::uint64_t end = header->e_phoff + std::uint64_t{header->e_phnum} * sizeof(ElfW(Phdr));
  if (end > object.extent.size) return {};
  return {reinterpret_cast<const ElfW(Phdr)*>(object.extent.begin + header->e_phoff), header->e_phnum};
}

proof::Segment segment_around(const void*, const void* address) noexcept {
  const LoadedObject object = object_around(address);
  if (!object) return {};
  proof::Segment segment;
  const void* index = nullptr;
  for (const ElfW(Phdr) & header : headers_of(object)) {
    const Address begin = object.tables.base() + header.p_vaddr;
    if (header.p_type == PT_GNU_EH_FRAME) index = reinterpret_cast<const void*>(begin);
    // Nothing is known of code that a file does not hold.
    if (header.p_type != PT_LOAD || reinterpret_cast<Address>(address) - begin >= header.p_filesz) continue;
    segment = {reinterpret_cast<const std::byte*>(begin), header.p_filesz, (header.p_flags & PF_X) != 0,
               (header.p_flags & PF_W) != 0, nullptr};
  }
  segment.unwind_index = index;
  return segment;
}

/// Returns the function to which `slot` leads. The loader may not have bound the slot yet: then it leads back
/// into the object, and the address is not known. A function that this library stands in front of is judged
/// by its name.
proof::Callee callee_in(const void*, const void* slot) noexcept {
  const LoadedObject object = object_around(slot);
  if (!object) return {};
  for (const auto& relocations : object.tables.relocations())
    for (const auto& relocation : relocations) {
      if (object.tables.base() + relocation.r_offset != reinterpret_cast<Address>(slot)) continue;
      const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(relocation.r_info));
      if (type != k_jump_slot && type != k_global_data) return {};
      const void* const bound = *static_cast<const void* const*>(slot);
      return {object.tables.name_of_symbol(relocation),
              object.extent.holds(bound) || is_own_code(bound) ? nullptr : bound};
    }
  return {};
}

bool refers_to(const void*, const void* address, bool (*is_asked)(const char*) noexcept) noexcept {
  const LoadedObject object = object_around(address);
  if (!object) return false;
  for (const auto& relocations : object.tables.relocations())
    for (const auto& relocation : relocations)
      if (ELF64_R_SYM(relocation.r_info) != 0 && is_asked(object.tables.name_of_symbol(relocation)))
        return true;
  return false;
}

/// The loader binds calls to the first object, in its order, that defines the function.
bool is_standard(const void*, const void* address, const char* name) noexcept {
  const LoadedObject object = object_around(address);
  if (!object) return false;
  const SymbolName symbol{name};
  bool is_known = false;
  const auto found = any_searched(object, [&](const link_map& map) noexcept {
    if (&map == own_map()) return false; // hands on
    const ElfObject tables(map);
    if (!tables.has_function(symbol)) return false;
    for (const std::string_view library : {"libc.so.", "libm.so.", "libmvec.so.", "libgcc_s.so.",
                                           "libstdc++.so.", "libc++.so.", "libc++abi.so."})
      is_known |= tables.soname().starts_with(library);
    return true;
  });
  return found.value_or(false) && is_known;
}

} // namespace

proof::Process own_process() noexcept { return {nullptr, segment_around, callee_in, refers_to, is_standard}; }

} // namespace wstree::abi
