// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>
#include <utility>

namespace wstree::cli {

namespace {

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
  case EM_X86_64:
    return "x86-64";
  case EM_386:
    return "x86";
  case EM_AARCH64:
    return "AArch64";
  case EM_ARM:
    return "ARM";
  case EM_PPC64:
    return "POWER";
  case EM_RISCV:
    return "RISC-V";
  case EM_S390:
    return "z/Architecture";
  default:
    return fmt::format("(ELF machine {})", machine);
  }
}

std::string read_loader(Elf* elf) {
  std::size_t headers = 0;
  if (elf_getphdrnum(elf, &headers) != 0) return {};
  for (std::size_t i = 0; i < headers; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr || header.p_type != PT_INTERP) continue;
    std::size_t size = 0;
    const char* file = elf_rawfile(elf, &size);
    // A damaged header may point anywhere.
    if (file == nullptr || header.p_offset > size || header.p_filesz > size - header.p_offset) return {};
    std::string_view text(file + header.p_offset, header.p_filesz);
    return std::string(text.substr(0, text.find('\0')));
  }
  return {};
}

} // namespace

std::string to_string(const ElfTarget& target) {
  return fmt::format("{}-bit {}", target.word_class == ELFCLASS64 ? 64 : 32, machine_name(target.machine));
}

std::optional<ElfFile> ElfFile::open(const std::filesystem::path& path) {
  elf_version(EV_CURRENT);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  Elf* elf = elf_begin(descriptor, ELF_C_READ_MMAP, nullptr);
  ElfFile file(descriptor, elf);
  GElf_Ehdr header;
  if (elf == nullptr || elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == nullptr)
    return std::nullopt;
  file.type_ = header.e_type;
  file.target_ = {gelf_getclass(elf), header.e_machine};
  file.loader_ = read_loader(elf);
  return file;
}

ElfFile::ElfFile(int descriptor, Elf* elf) : descriptor_(descriptor), elf_(elf) {}

ElfFile::ElfFile(ElfFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), elf_(std::exchange(other.elf_, nullptr)),
      type_(other.type_), target_(other.target_), loader_(std::move(other.loader_)) {}

ElfFile::~ElfFile() {
  elf_end(elf_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool ElfFile::can_be_program() const { return type_ == ET_EXEC || type_ == ET_DYN; }

bool ElfFile::for_each_import(const std::function<void(std::string_view)>& visit) const {
  return for_each_symbol(SHT_DYNSYM, false, visit);
}

void ElfFile::for_each_definition(const std::function<void(std::string_view)>& visit) const {
  if (!for_each_symbol(SHT_SYMTAB, true, visit)) for_each_symbol(SHT_DYNSYM, true, visit);
}

void ElfFile::for_each_export(const std::function<void(std::string_view)>& visit) const {
  for_each_symbol(SHT_DYNSYM, true, visit);
}

void ElfFile::for_each_needed(const std::function<void(std::string_view)>& visit) const {
  for_each_dynamic([&](std::int64_t tag, std::uint64_t value, std::size_t names) {
    const char* name = tag == DT_NEEDED ? elf_strptr(elf_, names, value) : nullptr;
    if (name != nullptr && *name != '\0') visit(name);
    return true;
  });
}

bool ElfFile::wants_to_be_first() const {
  bool wants = false;
  for_each_dynamic([&](std::int64_t tag, std::uint64_t value, std::size_t) {
    if (tag == DT_FLAGS_1) wants = (value & DF_1_INITFIRST) != 0;
    return tag != DT_FLAGS_1;
  });
  return wants;
}

void ElfFile::for_each_dynamic(
    const std::function<bool(std::int64_t, std::uint64_t, std::size_t)>& visit) const {
  for (Elf_Scn* section = elf_nextscn(elf_, nullptr); section != nullptr;
       section = elf_nextscn(elf_, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNAMIC || header.sh_entsize == 0)
      continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr) continue;
    const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
    for (int i = 0; i < count; ++i) {
      GElf_Dyn entry;
      if (gelf_getdyn(data, i, &entry) == nullptr || entry.d_tag == DT_NULL) break;
      if (!visit(entry.d_tag, entry.d_un.d_val, header.sh_link)) return;
    }
  }
}

bool ElfFile::contains(std::string_view bytes) const {
  std::size_t size = 0;
  const char* file = elf_rawfile(elf_, &size);
  return file != nullptr && std::string_view(file, size).find(bytes) != std::string_view::npos;
}

bool ElfFile::for_each_symbol(std::uint32_t table_type, bool defined,
                              const std::function<void(std::string_view)>& visit) const {
  bool found = false;
  for (Elf_Scn* section = elf_nextscn(elf_, nullptr); section != nullptr;
       section = elf_nextscn(elf_, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != table_type || header.sh_entsize == 0)
      continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr) continue;
    found = true;
    const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
    for (int i = 1; i < count; ++i) { // entry 0 is reserved and has no name
      GElf_Sym symbol;
      if (gelf_getsym(data, i, &symbol) == nullptr || (symbol.st_shndx != SHN_UNDEF) != defined) continue;
      const char* name = elf_strptr(elf_, header.sh_link, symbol.st_name);
      if (name != nullptr && *name != '\0') visit(name);
    }
  }
  return found;
}

} // namespace wstree::cli
