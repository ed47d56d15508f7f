// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "region_function.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <gelf.h>
#include <optional>
#include <string_view>

namespace wstree::names {

namespace {

/// A general register as instructions encode it.
using Register = unsigned;
constexpr Register k_rsp = 4, k_rbp = 5, k_rdi = 7;

/// A place in the stack frame.
struct Slot {
  Register base = 0; // k_rsp or k_rbp
  std::int32_t distance = 0;
  bool operator==(const Slot&) const = default;
};
struct Move {
  Register of = 0;
  Slot slot;
};

/// The code of one section. Instructions are recognised by their bytes: nothing decodes all in front of them.
struct Code {
  const unsigned char* bytes = nullptr;
  Dwarf_Addr begin = 0, end = 0;

  bool holds(Dwarf_Addr address, std::size_t size) const {
    return begin <= address && address <= end && size <= end - address;
  }
  unsigned at(Dwarf_Addr address) const { return bytes[address - begin]; }
  std::int32_t number(Dwarf_Addr address) const {
    std::int32_t number;
    std::memcpy(&number, bytes + (address - begin), sizeof number);
    return number;
  }
};

constexpr std::size_t k_number = sizeof(std::int32_t);
constexpr unsigned k_wide = 0x48, k_wide_high = 0x4c; // prefixes: 64 bits, of r8 to r15

Code code_around(Dwfl_Module* module, Dwarf_Addr address) {
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
    return {static_cast<const unsigned char*>(data->d_buf), begin, begin + data->d_size};
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

/// Returns the number that an instruction at the address sets the register to: lea number(%rip), %register or
/// mov number, %register. Its end must not lie behind `end`.
std::optional<Dwarf_Addr> constant_at(const Code& code, Dwarf_Addr address, Register to, Dwarf_Addr end) {
  constexpr std::size_t k_lea = 3 + k_number;
  const unsigned low = to & 7U;
  if (code.holds(address, k_lea) && address + k_lea <= end &&
      code.at(address) == (to < 8 ? k_wide : k_wide_high) && code.at(address + 1) == 0x8d &&
      code.at(address + 2) == (0x05U | low << 3))
    return address + k_lea + static_cast<Dwarf_Addr>(std::int64_t{code.number(address + 3)});
  const Dwarf_Addr opcode = address + (to < 8 ? 0 : 1);
  if (code.holds(address, 2 + k_number) && opcode + 1 + k_number <= end &&
      (to < 8 || code.at(address) == 0x41) && code.at(opcode) == (0xb8U | low))
    return static_cast<std::uint32_t>(code.number(opcode + 1));
  return std::nullopt;
}

/// Returns the register that an instruction at the address copies to %rdi: mov %register, %rdi.
std::optional<Register> copied_at(const Code& code, Dwarf_Addr address) {
  if (!code.holds(address, 3) || (code.at(address) | 4U) != k_wide_high || code.at(address + 1) != 0x89 ||
      (code.at(address + 2) & 0xc7U) != (0xc0U | k_rdi))
    return std::nullopt;
  return (code.at(address + 2) >> 3 & 7U) | (code.at(address) & 4U) << 1;
}

/// Returns what a mov with this opcode at the address moves between a register and the stack frame.
std::optional<Move> move_at(const Code& code, Dwarf_Addr address, unsigned opcode) {
  if (!code.holds(address, 4 + k_number) || (code.at(address) | 4U) != k_wide_high ||
      code.at(address + 1) != opcode)
    return std::nullopt;
  const unsigned form = code.at(address + 2), kind = form >> 6;
  Move move{(form >> 3 & 7U) | (code.at(address) & 4U) << 1, {form & 7U, 0}};
  const bool has_index = move.slot.base == k_rsp; // the byte 0x24 says that there is none
  if (kind == 3 || (has_index ? code.at(address + 3) != 0x24 : kind == 0 || move.slot.base != k_rbp))
    return std::nullopt;
  const Dwarf_Addr distance = address + (has_index ? 4 : 3);
  if (kind == 1) move.slot.distance = static_cast<std::int8_t>(code.at(distance));
  if (kind != 2) return move;
  if (!code.holds(distance, k_number)) return std::nullopt;
  move.slot.distance = code.number(distance);
  return move;
}

constexpr std::size_t k_call = 1 + k_number;        // call distance
constexpr std::size_t k_indirect_call = k_call + 1; // call *slot(%rip)

/// Returns whether the bytes at the address are a call of a function of this module, or through a table.
bool is_call(Dwfl_Module* module, const Code& code, Dwarf_Addr address) {
  if (!code.holds(address, k_indirect_call)) return false;
  if (code.at(address) == 0xff) return code.at(address + 1) == 0x15;
  if (code.at(address) != 0xe8) return false;
  Dwarf_Addr low = 0, high = 0;
  dwfl_module_info(module, nullptr, &low, &high, nullptr, nullptr, nullptr, nullptr);
  const auto target = address + k_call + static_cast<Dwarf_Addr>(std::int64_t{code.number(address + 1)});
  return low <= target && target < high;
}

/// The search for the functions that reach one call.
class Search {
public:
  Search(Dwfl_Module* module, const Code& code, Dwarf_Addr call) : module_(module), code_(code), call_(call) {
    GElf_Off offset = 0;
    GElf_Sym symbol{};
    if (dwfl_module_addrinfo(module, call, &offset, &symbol, nullptr, nullptr, nullptr) == nullptr) return;
    begin_ = std::max(code.begin, call - offset);
    end_ = std::min(code.end, call - offset + symbol.st_size);
  }

  std::vector<Dwarf_Addr> functions() const {
    constexpr std::size_t k_farthest =
        256; // bytes between the call and the instruction that sets its argument
    const Dwarf_Addr lowest = call_ - std::min<Dwarf_Addr>(call_ - begin_, k_farthest);
    // The last instruction that sets %rdi counts; a call in front of ours takes its own argument.
    for (Dwarf_Addr address = call_; begin_ < end_ && address-- > lowest;) {
      const auto constant = constant_at(code_, address, k_rdi, call_);
      if (constant && is_region(module_, *constant)) return {*constant};
      if (const auto from = copied_at(code_, address)) return in_register(*from);
      const auto load = move_at(code_, address, 0x8b);
      if (load && load->of == k_rdi) return in_slot(load->slot);
      if (is_call(module_, code_, address)) break;
    }
    return {};
  }

private:
  /// Returns the functions that are ever in the register: loops keep their address there.
  std::vector<Dwarf_Addr> in_register(Register kept) const {
    std::vector<Dwarf_Addr> found;
    for (Dwarf_Addr address = call_; address-- > begin_;) add(constant_at(code_, address, kept, end_), found);
    for (Dwarf_Addr address = call_; address < end_; ++address)
      add(constant_at(code_, address, kept, end_), found);
    return found;
  }
  /// Returns the functions that are ever stored in the place.
  std::vector<Dwarf_Addr> in_slot(const Slot& slot) const {
    std::vector<Dwarf_Addr> found;
    const auto look = [&](Dwarf_Addr address) {
      const auto store = move_at(code_, address, 0x89);
      if (!store || store->slot != slot) return;
      constexpr std::size_t k_near = 64; // bytes between the constant and its store
      const auto before = found.size();
      const Dwarf_Addr lowest = address - std::min<Dwarf_Addr>(address - begin_, k_near);
      for (Dwarf_Addr set = address; set-- > lowest && found.size() == before;)
        add(constant_at(code_, set, store->of, address), found);
    };
    for (Dwarf_Addr address = call_; address-- > begin_;) look(address);
    for (Dwarf_Addr address = call_; address < end_; ++address) look(address);
    return found;
  }
  void add(std::optional<Dwarf_Addr> target, std::vector<Dwarf_Addr>& found) const {
    if (target && is_region(module_, *target) &&
        std::find(found.begin(), found.end(), *target) == found.end())
      found.push_back(*target);
  }

  Dwfl_Module* module_;
  const Code& code_;
  Dwarf_Addr call_;
  Dwarf_Addr begin_ = 0, end_ = 0; // of the function with the call
};

} // namespace

std::vector<Dwarf_Addr> region_functions(Dwfl_Module* module, Dwarf_Addr return_address) {
  const Code code = code_around(module, return_address);
  if (code.bytes == nullptr) return {};
  for (const auto size : {k_call, k_indirect_call})
    if (return_address - code.begin >= size && is_call(module, code, return_address - size))
      return Search(module, code, return_address - size).functions();
  return {};
}

} // namespace wstree::names
