// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/call_site.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace wstree::abi {
namespace {

/// The code of an object. The linker may have made it such that it can be executed and not read.
class Code {
public:
  explicit Code(const LoadedObject& object) noexcept : object_(object) {}

  /// Copies the bytes at `address` to `to`. Returns whether they can be read.
  template <class Bytes> bool read(Address address, Bytes& to) const noexcept {
    const auto holds = [&](const ElfW(Phdr) & segment) {
      return segment.p_type == PT_LOAD && (segment.p_flags & PF_R) != 0 &&
             address - object_.tables.base() - segment.p_vaddr < segment.p_memsz &&
             segment.p_vaddr + segment.p_memsz - (address - object_.tables.base()) >= sizeof to;
    };
    const auto segments = segments_of(object_);
    if (std::none_of(segments.begin(), segments.end(), holds)) return false;
    std::memcpy(&to, reinterpret_cast<const void*>(address), sizeof to);
    return true;
  }

private:
  const LoadedObject& object_;
};

#if defined(__x86_64__)

using Bytes = std::span<const std::uint8_t>;

std::int32_t distance_in(Bytes bytes) noexcept {
  std::int32_t distance;
  std::memcpy(&distance, bytes.data(), sizeof distance);
  return distance;
}

/// Returns the slot that an entry of the linkage table at `entry` jumps through; 0: there is no such entry.
Address slot_of_entry(const Code& code, Address entry) noexcept {
  std::uint8_t bytes[11];
  if (!code.read(entry, bytes)) return 0;
  constexpr std::uint8_t k_branch_target[]{0xf3, 0x0f, 0x1e, 0xfa}; // endbr64
  std::size_t at =
      std::equal(std::begin(k_branch_target), std::end(k_branch_target), bytes) ? sizeof k_branch_target : 0;
  if (bytes[at] == 0xf2) ++at;                              // bnd
  if (bytes[at] != 0xff || bytes[at + 1] != 0x25) return 0; // jmp *distance(%rip)
  at += 2;
  return entry + at + 4 + static_cast<Address>(std::int64_t{distance_in(Bytes(bytes).subspan(at))});
}

/// Returns the slot that the call before `end` goes through; 0: not known.
Address slot_of_call(const Code& code, Address end) noexcept {
  std::uint8_t bytes[6];
  if (!code.read(end - sizeof bytes, bytes)) return 0;
  const Address target = end + static_cast<Address>(std::int64_t{distance_in(Bytes(bytes).subspan(2))});
  if (bytes[0] == 0xff && bytes[1] == 0x15) return target; // call *distance(%rip)
  return bytes[1] == 0xe8 ? slot_of_entry(code, target) : 0;
}

#elif defined(__aarch64__)

/// `bits` bits of `word` from `first` on, with their sign.
std::int64_t signed_field(std::uint32_t word, unsigned first, unsigned bits) noexcept {
  return static_cast<std::int64_t>(std::uint64_t{word} << (64 - first - bits)) >> (64 - bits);
}

/// Returns the slot that an entry of the linkage table at `entry` jumps through; 0: there is no such entry.
Address slot_of_entry(const Code& code, Address entry) noexcept {
  std::uint32_t words[3];
  if (!code.read(entry, words)) return 0;
  constexpr std::uint32_t k_branch_target = 0xd503245f; // bti c
  const std::size_t at = words[0] == k_branch_target ? 1 : 0;
  const std::uint32_t page = words[at], load = words[at + 1]; // adrp x16, PAGE; ldr x17, [x16, #OFFSET]
  if ((page & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211) return 0;
  const std::int64_t pages = signed_field(page, 5, 19) * 4 + (page >> 29 & 3);
  return ((entry + 4 * at) & ~Address{0xfff}) + static_cast<Address>(pages * 4096) + (load >> 10 & 0xfff) * 8;
}

/// Returns the slot that the call before `end` goes through; 0: not known.
Address slot_of_call(const Code& code, Address end) noexcept {
  std::uint32_t call;
  if (!code.read(end - sizeof call, call) || (call & 0xfc000000) != 0x94000000) return 0; // bl DISTANCE
  return slot_of_entry(code, end - 4 + static_cast<Address>(signed_field(call, 0, 26) * 4));
}

#endif

} // namespace

bool calls_by_reference(const LoadedObject& object, const void* return_address,
                        std::string_view name) noexcept {
  const Address slot = slot_of_call(Code(object), reinterpret_cast<Address>(return_address));
  if (slot == 0) return false;
  for (const ElfObject::Relocations& table : object.tables.relocations())
    for (const ElfW(Rela) & entry : table)
      if (object.tables.base() + entry.r_offset == slot) return object.tables.name_of_symbol(entry) == name;
  return false;
}

} // namespace wstree::abi
