// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mapped_object.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string_view>

namespace wstree::test {
namespace {

template <class T> T get(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

bool is_outlined(std::string_view name) {
  if (name.find(".cold") != name.npos || name.find("_debug__") != name.npos ||
      name.find("reduction") != name.npos)
    return false;
  return name.find("._omp_fn.") != name.npos || name.find(".omp_outlined") != name.npos ||
         name.find("omp_outlined") != name.npos || name.find("..omp_par") != name.npos;
}

} // namespace

MappedObject::MappedObject(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(stream), {}};
  if (file.size() < sizeof(Elf64_Ehdr) || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0)
    throw std::runtime_error(path + " is no object");
  const auto header = get<Elf64_Ehdr>(file.data());
  if (header.e_machine != EM_X86_64 || header.e_phnum == 0)
    throw std::runtime_error(path + " is not for x86-64, or not linked");
  std::uint64_t end = 0;
  first_ = UINT64_MAX;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    headers_.push_back(get<Elf64_Phdr>(file.data() + header.e_phoff + i * sizeof(Elf64_Phdr)));
    const Elf64_Phdr& segment = headers_.back();
    if (segment.p_type != PT_LOAD) continue;
    first_ = std::min(first_, segment.p_vaddr & ~std::uint64_t{4095});
    end = std::max(end, segment.p_vaddr + segment.p_memsz);
  }
  size_ = end - first_ + 4096;
  void* const memory = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory for " + path);
  memory_ = static_cast<char*>(memory);
  for (const Elf64_Phdr& segment : headers_)
    if (segment.p_type == PT_LOAD && segment.p_offset + segment.p_filesz <= file.size())
      std::memcpy(memory_ + (segment.p_vaddr - first_), file.data() + segment.p_offset, segment.p_filesz);
  read_slots();
  read_names(file);
  if (outlined_.empty()) find_handed();
}

MappedObject::~MappedObject() { ::munmap(memory_, size_); }

std::uint64_t MappedObject::in_file(const void* address) const noexcept {
  return static_cast<std::uint64_t>(static_cast<const char*>(address) - memory_) + first_;
}

void MappedObject::read_slots() {
  std::map<std::int64_t, std::uint64_t> dynamic;
  std::vector<std::uint64_t> needed;
  for (const Elf64_Phdr& segment : headers_)
    if (segment.p_type == PT_DYNAMIC)
      for (std::uint64_t at = 0; at < segment.p_filesz; at += sizeof(Elf64_Dyn)) {
        const auto entry = get<Elf64_Dyn>(text(segment.p_vaddr + at));
        dynamic[entry.d_tag] = entry.d_un.d_val;
        if (entry.d_tag == DT_NEEDED) needed.push_back(entry.d_un.d_val);
      }
  // Libraries that define no allocator but the C and the C++ library's.
  static constexpr std::string_view k_usual[] = {"libc.",    "libm.",      "libstdc++.",   "libgcc_s.",
                                                 "libgomp.", "libomp.",    "libgfortran.", "libboost_",
                                                 "libmpi",   "libpthread."};
  for (const std::uint64_t name : needed)
    needs_others_ |= std::none_of(std::begin(k_usual), std::end(k_usual), [&](std::string_view usual) {
      return std::string_view(text(dynamic[DT_STRTAB] + name)).starts_with(usual);
    });
  const auto read = [&](std::uint64_t table, std::uint64_t size) {
    for (std::uint64_t at = 0; at < size; at += sizeof(Elf64_Rela)) {
      const auto relocation = get<Elf64_Rela>(text(table + at));
      const auto type = ELF64_R_TYPE(relocation.r_info);
      const auto slot = reinterpret_cast<std::uint64_t>(text(relocation.r_offset));
      if (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) {
        const auto symbol =
            get<Elf64_Sym>(text(dynamic[DT_SYMTAB] + ELF64_R_SYM(relocation.r_info) * sizeof(Elf64_Sym)));
        slots_[slot] = {text(dynamic[DT_STRTAB] + symbol.st_name),
                        symbol.st_value != 0 ? text(symbol.st_value) : nullptr};
      }
    }
  };
  read(dynamic[DT_JMPREL], dynamic[DT_PLTRELSZ]);
  read(dynamic[DT_RELA], dynamic[DT_RELASZ]);
}

void MappedObject::read_names(const std::vector<char>& file) {
  const auto header = get<Elf64_Ehdr>(file.data());
  std::vector<Elf64_Shdr> sections;
  for (unsigned i = 0; i < header.e_shnum; ++i)
    sections.push_back(get<Elf64_Shdr>(file.data() + header.e_shoff + i * sizeof(Elf64_Shdr)));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB) continue;
    const char* const names = file.data() + sections[section.sh_link].sh_offset;
    std::map<std::uint64_t, std::string> others;
    for (std::uint64_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = get<Elf64_Sym>(file.data() + section.sh_offset + at);
      const std::string name = names + symbol.st_name;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0) continue;
      if (is_outlined(name))
        outlined_.push_back({name, symbol.st_value});
      else if (ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL)
        others[symbol.st_value] = name;
    }
    for (Function& function : outlined_)
      if (const auto after = others.upper_bound(function.address); after != others.begin())
        function.before = std::prev(after)->second;
  }
  std::sort(outlined_.begin(), outlined_.end(),
            [](const Function& a, const Function& b) { return a.address < b.address; });
}

/// Looks for calls of stubs or slots, and for the address that was last put into the register of the first or
/// third argument before them.
void MappedObject::find_handed() {
  std::set<std::uint64_t> found;
  for (const Elf64_Phdr& segment : headers_) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const char* const code = text(segment.p_vaddr);
    const std::uint64_t size = segment.p_filesz;
    const auto slot_of_stub = [&](const char* at) -> const char* {
      if (at < code || at + 16 > code + size) return nullptr;
      if (std::memcmp(at, "\xf3\x0f\x1e\xfa", 4) == 0) at += 4;
      if (*at == '\xf2') ++at;
      return std::memcmp(at, "\xff\x25", 2) == 0 ? at + 6 + get<std::int32_t>(at + 2) : nullptr;
    };
    for (std::uint64_t i = 64; i + 16 < size; ++i) {
      const char* slot = nullptr;
      if (code[i] == '\xe8' || code[i] == '\xe9')
        slot = slot_of_stub(code + i + 5 + get<std::int32_t>(code + i + 1));
      else if (std::memcmp(code + i, "\xff\x15", 2) == 0)
        slot = code + i + 6 + get<std::int32_t>(code + i + 2);
      if (slot == nullptr) continue;
      const auto callee = slots_.find(reinterpret_cast<std::uint64_t>(slot));
      if (callee == slots_.end() || callee->second.name == nullptr) continue;
      const std::string_view name = callee->second.name;
      const bool is_gcc = name == "GOMP_parallel";
      if (!is_gcc && name != "__kmpc_fork_call") continue;
      for (std::uint64_t back = 7; back < 64; ++back) {
        const char* const at = code + i - back;
        if (std::memcmp(at, is_gcc ? "\x48\x8d\x3d" : "\x48\x8d\x15", 3) != 0) continue;
        const std::uint64_t target = in_file(at + 7 + get<std::int32_t>(at + 3));
        if (target >= segment.p_vaddr && target < segment.p_vaddr + size) found.insert(target);
        break;
      }
    }
  }
  for (const std::uint64_t address : found) outlined_.push_back({"", address});
}

proof::Verdict MappedObject::prove(const Function& function) const noexcept {
  proof::Process process;
  process.context = this;
  process.segment_around = [](const void* context, const void* address) noexcept {
    const auto& self = *static_cast<const MappedObject*>(context);
    proof::Segment around;
    if (address < self.memory_ || address >= self.memory_ + self.size_) return around;
    const std::uint64_t at = self.in_file(address);
    for (const Elf64_Phdr& segment : self.headers_) {
      if (segment.p_type == PT_GNU_EH_FRAME) around.unwind_index = self.text(segment.p_vaddr);
      if (segment.p_type != PT_LOAD || at < segment.p_vaddr || at - segment.p_vaddr >= segment.p_memsz)
        continue;
      around.begin = reinterpret_cast<const std::byte*>(self.text(segment.p_vaddr));
      around.size = segment.p_memsz;
      around.is_executable = (segment.p_flags & PF_X) != 0;
      around.is_writable = (segment.p_flags & PF_W) != 0;
    }
    return around;
  };
  process.callee_in = [](const void* context, const void* slot) noexcept {
    const auto& self = *static_cast<const MappedObject*>(context);
    const auto found = self.slots_.find(reinterpret_cast<std::uint64_t>(slot));
    return found == self.slots_.end() ? proof::Callee{} : found->second;
  };
  process.refers_to = [](const void* context, const void*, bool (*is_asked)(const char*) noexcept) noexcept {
    const auto& self = *static_cast<const MappedObject*>(context);
    return std::any_of(self.slots_.begin(), self.slots_.end(), [is_asked](const auto& slot) {
      return slot.second.name != nullptr && is_asked(slot.second.name);
    });
  };
  // The file does not say which library defines a function: one that it does not know may.
  // Other libraries that an object needs are corpus/allocator.c, which has no operator new.
  process.is_standard = [](const void* context, const void*, const char* name) noexcept {
    return !static_cast<const MappedObject*>(context)->needs_others_ || std::string_view(name) == "_Znwm";
  };
  return proof::prove(text(function.address), process);
}

} // namespace wstree::test
