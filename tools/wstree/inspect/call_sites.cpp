// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "call_sites.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <map>
#include <unistd.h>

namespace wstree::cli {

namespace {

/// A file that is open, and its sections.
class Sections {
public:
  explicit Sections(const std::filesystem::path& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    if (descriptor_ >= 0) elf_ = elf_begin(descriptor_, ELF_C_READ_MMAP, nullptr);
  }
  Sections(const Sections&) = delete;
  Sections& operator=(const Sections&) = delete;
  ~Sections() {
    elf_end(elf_);
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  [[nodiscard]] Elf* elf() const { return elf_; }
  [[nodiscard]] int machine() const {
    GElf_Ehdr header;
    return elf_ != nullptr && gelf_getehdr(elf_, &header) != nullptr ? header.e_machine : EM_NONE;
  }
  /// Calls `visit(section, header, data)` for each section of a type.
  template <class Visit> void for_each(std::uint32_t type, Visit visit) const {
    for (Elf_Scn* section = elf_nextscn(elf_, nullptr); section != nullptr;
         section = elf_nextscn(elf_, section)) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || header.sh_type != type) continue;
      if (Elf_Data* data = elf_getdata(section, nullptr); data != nullptr && data->d_buf != nullptr)
        visit(header, *data);
    }
  }

private:
  int descriptor_;
  Elf* elf_ = nullptr;
};

using Targets = std::map<std::uint64_t, std::string>; ///< functions by addresses

/// Returns the words in memory that the loader fills with the addresses of the functions that `wanted` names.
template <class Wanted> Targets slots_of(const Sections& file, Wanted& wanted) {
  Targets slots;
  file.for_each(SHT_RELA, [&](const GElf_Shdr& header, Elf_Data& data) {
    Elf_Scn* const table = elf_getscn(file.elf(), header.sh_link);
    GElf_Shdr names;
    Elf_Data* const symbols = table != nullptr ? elf_getdata(table, nullptr) : nullptr;
    if (symbols == nullptr || gelf_getshdr(table, &names) == nullptr || header.sh_entsize == 0) return;
    for (int i = 0; i < static_cast<int>(header.sh_size / header.sh_entsize); ++i) {
      GElf_Rela entry;
      GElf_Sym symbol;
      if (gelf_getrela(&data, i, &entry) == nullptr || GELF_R_SYM(entry.r_info) == 0 ||
          gelf_getsym(symbols, static_cast<int>(GELF_R_SYM(entry.r_info)), &symbol) == nullptr)
        continue;
      const char* const name = elf_strptr(file.elf(), names.sh_link, symbol.st_name);
      if (name != nullptr && wanted(std::string(name))) slots.emplace(entry.r_offset, name);
    }
  });
  return slots;
}

std::int32_t distance_at(const unsigned char* code) {
  std::int32_t distance;
  std::memcpy(&distance, code, sizeof distance);
  return distance;
}

/// Calls `visit(code, address, bytes left)` for each address in executable sections.
template <class Visit> void for_each_code(const Sections& file, Visit visit) {
  file.for_each(SHT_PROGBITS, [&](const GElf_Shdr& header, Elf_Data& data) {
    if ((header.sh_flags & SHF_EXECINSTR) == 0) return;
    const auto* const code = static_cast<const unsigned char*>(data.d_buf);
    for (std::size_t i = 0; i + 6 <= data.d_size; ++i) visit(code + i, header.sh_addr + i);
  });
}

/// Returns the pieces of code that jump to where a slot points: jmp *distance(%rip), in entries of 16 bytes.
Targets stubs_of(const Sections& file, const Targets& slots) {
  constexpr std::uint64_t k_entry = 16;
  Targets stubs;
  for_each_code(file, [&](const unsigned char* code, std::uint64_t address) {
    if (code[0] != 0xff || code[1] != 0x25) return;
    const auto slot =
        slots.find(address + 6 + static_cast<std::uint64_t>(std::int64_t{distance_at(code + 2)}));
    if (slot != slots.end()) stubs.emplace(address / k_entry * k_entry, slot->second);
  });
  return stubs;
}

template <class Wanted> std::vector<CallSite> sites_of(const Sections& file, Wanted&& wanted) {
  const auto slots = slots_of(file, wanted);
  if (slots.empty()) return {};
  const auto stubs = stubs_of(file, slots);
  std::vector<CallSite> sites;
  const auto add = [&](const Targets& targets, std::uint64_t past, std::int32_t distance) {
    const auto target = targets.find(past + static_cast<std::uint64_t>(std::int64_t{distance}));
    if (target != targets.end()) sites.push_back({past, target->second});
  };
  for_each_code(file, [&](const unsigned char* code, std::uint64_t address) {
    if (code[0] == 0xe8) add(stubs, address + 5, distance_at(code + 1));                    // call stub
    if (code[0] == 0xff && code[1] == 0x15) add(slots, address + 6, distance_at(code + 2)); // call *slot
  });
  return sites;
}

std::string build_id_of(Elf* elf) {
  const void* bytes = nullptr;
  const auto size = elf != nullptr ? dwelf_elf_gnu_build_id(elf, &bytes) : 0;
  std::string text;
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<const unsigned char*>(bytes)[i]);
    text += digits;
  }
  return text;
}

} // namespace

bool begins_loop(const std::string& function) {
  const auto begins = [&](const char* text) { return function.starts_with(text); };
  if (begins("GOMP_parallel")) return !begins("GOMP_parallel_end") && !begins("GOMP_parallel_sections");
  if (begins("GOMP_loop_")) return function.find("start") != std::string::npos;
  return begins("__kmpc_fork_call") || begins("__kmpc_dispatch_init") || begins("__kmpc_dist_dispatch_init");
}

FileSites call_sites(const std::filesystem::path& path) {
  const Sections file(path);
  FileSites found{path, build_id_of(file.elf()), {}, file.machine() == EM_X86_64};
  if (found.known) found.sites = sites_of(file, begins_loop);
  return found;
}

FileSites static_sites(const std::filesystem::path& path) {
  constexpr std::uint64_t k_next = 16; // bytes of a call, and of the instruction that keeps its result
  constexpr const char* k_threads = "omp_get_num_threads";
  constexpr const char* k_number = "omp_get_thread_num";
  const Sections file(path);
  FileSites found{path, build_id_of(file.elf()), {}, file.machine() == EM_X86_64};
  if (!found.known) return found;
  auto sites = sites_of(file, [&](const std::string& name) { return name == k_threads || name == k_number; });
  std::ranges::sort(sites, {}, &CallSite::offset);
  for (std::size_t i = 1; i < sites.size(); ++i)
    if (sites[i - 1].function == k_threads && sites[i].function == k_number &&
        sites[i].offset - sites[i - 1].offset <= k_next)
      found.sites.push_back(sites[i - 1]);
  return found;
}

} // namespace wstree::cli
