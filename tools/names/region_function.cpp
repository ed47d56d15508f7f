// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "region_function.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <gelf.h>
#include <string_view>

namespace wstree::names {

namespace {

/// Code of a file, up to an address.
struct Code {
  const unsigned char* end = nullptr;
  std::size_t size = 0;
};

Code code_before(Dwfl_Module* module, Dwarf_Addr address) {
  GElf_Addr bias = 0;
  Elf* const elf = dwfl_module_getelf(module, &bias);
  GElf_Ehdr file;
  if (elf == nullptr || gelf_getehdr(elf, &file) == nullptr || file.e_machine != EM_X86_64) return {};
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_PROGBITS) continue;
    const GElf_Addr begin = header.sh_addr + bias;
    if (address < begin || address - begin > header.sh_size || (header.sh_flags & SHF_EXECINSTR) == 0)
      continue;
    const Elf_Data* const data = elf_getdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr || address - begin > data->d_size) return {};
    return {static_cast<const unsigned char*>(data->d_buf) + (address - begin), address - begin};
  }
  return {};
}

/// Returns whether a symbol of a region's function begins at the address.
bool is_region(Dwfl_Module* module, Dwarf_Addr address) {
  GElf_Off offset = 0;
  GElf_Sym symbol{};
  const char* const name = dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  return name != nullptr && offset == 0 && std::string_view(name).find("._omp_fn.") != std::string_view::npos;
}

} // namespace

std::optional<Dwarf_Addr> region_function(Dwfl_Module* module, Dwarf_Addr return_address) {
  constexpr std::size_t k_call = 5;      // bytes of call distance; call *slot(%rip) has one more
  constexpr std::size_t k_farthest = 96; // bytes between the call and the instruction that sets its argument
  const Code code = code_before(module, return_address);
  const auto byte = [&](std::size_t before) { return code.end[-static_cast<std::ptrdiff_t>(before)]; };
  if (code.size < k_call + 1 || (byte(k_call) != 0xe8 && (byte(k_call + 1) != 0xff || byte(k_call) != 0x15)))
    return std::nullopt;
  for (std::size_t before = k_call; before + 3 <= std::min(code.size, k_farthest); ++before) {
    std::int32_t number;
    if (before < k_call + sizeof number) continue;
    std::memcpy(&number, code.end - before, sizeof number);
    const bool leads = byte(before + 3) == 0x48 && byte(before + 2) == 0x8d && byte(before + 1) == 0x3d;
    const bool holds = byte(before + 1) == 0xbf;
    if (!leads && !holds) continue;
    // lea number(%rip), %rdi or mov number, %edi
    const Dwarf_Addr target =
        leads ? return_address - before + sizeof number + static_cast<Dwarf_Addr>(std::int64_t{number})
              : static_cast<std::uint32_t>(number);
    if (is_region(module, target)) return target;
  }
  return std::nullopt;
}

} // namespace wstree::names
