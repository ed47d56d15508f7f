// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "code_place.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <features.h>
#include <string_view>
#include <unistd.h>

// Weak: glibc has it from 2.35 on, other C libraries do not.
#if __GLIBC_PREREQ(2, 35)
#pragma weak _dl_find_object
#endif

namespace wstree::observe {
namespace {

std::size_t padded(std::size_t size, std::size_t alignment) noexcept {
  return (size + alignment - 1) / alignment * alignment;
}

/// Appends the build-id, if one of the notes in [note, note + size) is one.
bool append_build_id(const unsigned char* note, std::size_t size, std::size_t alignment,
                     CodePlace& place) noexcept {
  using Header = ElfW(Nhdr);
  constexpr std::string_view k_owner("GNU\0", 4);
  while (size >= sizeof(Header)) {
    Header header;
    std::memcpy(&header, note, sizeof header);
    const std::size_t name = sizeof header;
    const std::size_t content = name + padded(header.n_namesz, alignment);
    const std::size_t end = content + padded(header.n_descsz, alignment);
    if (content > size || header.n_descsz > size - content) return false;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == k_owner.size() &&
        std::memcmp(note + name, k_owner.data(), k_owner.size()) == 0) {
      constexpr char k_digits[] = "0123456789abcdef";
      for (std::size_t i = 0; i < header.n_descsz; ++i)
        place.build_id.append(k_digits[note[content + i] >> 4]).append(k_digits[note[content + i] & 15]);
      return true;
    }
    if (end >= size) return false;
    note += end;
    size -= end;
  }
  return false;
}

void append_program(config::FixedText<PATH_MAX>& path) noexcept {
  // Without a second buffer: the stack may be the smallest that a thread can have.
  path.append_read([](char* text, std::size_t room) { return readlink("/proc/self/exe", text, room); });
}

/// Returns whether the module has `address` in one of its segments.
bool holds(const dl_phdr_info& module, std::uintptr_t address) noexcept {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& segment = module.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = module.dlpi_addr + segment.p_vaddr;
    if (address >= begin && address - begin < segment.p_memsz) return true;
  }
  return false;
}

struct Search {
  std::uintptr_t address;
  dl_phdr_info module;
};
int copy_if_inside(dl_phdr_info* module, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!holds(*module, search.address)) return 0;
  search.module = *module;
  return 1;
}

#if __GLIBC_PREREQ(2, 35)
/// Fills in `module` by the header at the beginning of its first segment. Returns false if there is none.
bool read_header(const dl_find_object& object, dl_phdr_info& module) noexcept {
  const auto* const begin = static_cast<const unsigned char*>(object.dlfo_map_start);
  const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(begin);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr)) ||
      header.e_phoff + header.e_phnum * sizeof(ElfW(Phdr)) > static_cast<std::size_t>(getpagesize()))
    return false;
  module.dlpi_addr = object.dlfo_link_map->l_addr;
  module.dlpi_name = object.dlfo_link_map->l_name;
  module.dlpi_phdr = reinterpret_cast<const ElfW(Phdr)*>(begin + header.e_phoff);
  module.dlpi_phnum = header.e_phnum;
  return true;
}
#endif

} // namespace

dl_phdr_info module_around(const void* address) noexcept {
  Search search{reinterpret_cast<std::uintptr_t>(address), {}};
#if __GLIBC_PREREQ(2, 35)
  if (&_dl_find_object != nullptr) {
    dl_find_object object{};
    if (_dl_find_object(const_cast<void*>(address), &object) != 0) return {};
    if (read_header(object, search.module))
      return holds(search.module, search.address) ? search.module : dl_phdr_info{};
  }
#endif
  dl_iterate_phdr(copy_if_inside, &search);
  return search.module;
}

void find_code_place(const void* address, CodePlace& place) noexcept {
  const int saved_errno = errno;
  place.module.clear();
  place.build_id.clear();
  const dl_phdr_info module = module_around(address);
  place.offset = reinterpret_cast<std::uintptr_t>(address) - module.dlpi_addr;
  if (module.dlpi_name != nullptr && *module.dlpi_name != '\0')
    place.module.append(module.dlpi_name);
  else if (module.dlpi_phnum != 0)
    append_program(place.module);
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& segment = module.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const unsigned char*>(module.dlpi_addr + segment.p_vaddr);
    if (append_build_id(notes, segment.p_memsz, segment.p_align == 8 ? 8 : 4, place)) break;
  }
  errno = saved_errno;
}

} // namespace wstree::observe
