// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "code_place.h"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <unistd.h>

namespace wstree::observe {
namespace {

struct PlaceSearch {
  std::uintptr_t address;
  CodePlace* place;
};

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

int describe_if_inside(dl_phdr_info* module, std::size_t, void* data) {
  const auto& search = *static_cast<PlaceSearch*>(data);
  if (!holds(*module, search.address)) return 0;
  CodePlace& place = *search.place;
  place.offset = search.address - module->dlpi_addr;
  if (module->dlpi_name != nullptr && *module->dlpi_name != '\0')
    place.module.append(module->dlpi_name);
  else
    append_program(place.module);
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const auto& segment = module->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const unsigned char*>(module->dlpi_addr + segment.p_vaddr);
    if (append_build_id(notes, segment.p_memsz, segment.p_align == 8 ? 8 : 4, place)) break;
  }
  return 1;
}

} // namespace

bool holds(const dl_phdr_info& module, std::uintptr_t address) noexcept {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& segment = module.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = module.dlpi_addr + segment.p_vaddr;
    if (address >= begin && address - begin < segment.p_memsz) return true;
  }
  return false;
}

void find_code_place(const void* address, CodePlace& place) noexcept {
  const int saved_errno = errno;
  place.module.clear();
  place.build_id.clear();
  place.offset = reinterpret_cast<std::uintptr_t>(address);
  PlaceSearch search{reinterpret_cast<std::uintptr_t>(address), &place};
  if (address != nullptr) dl_iterate_phdr(describe_if_inside, &search);
  errno = saved_errno;
}

} // namespace wstree::observe
