// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/rebind.h"

#include "resolve/elf_object.h"
#include "resolve/libc.h"
#include "resolve/loaded_objects.h"
#include "system_call.h"

#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstdint>
#include <string_view>

namespace wstree::abi {
namespace {

/// Not the one that a sanitizer or another preloaded library puts in front: it is not ready when the loader
/// runs our constructor.
constinit LibcFunction<int(int (*)(dl_phdr_info*, std::size_t, void*), void*)> g_for_each_object{
    "dl_iterate_phdr"};

void find_walk() noexcept {
  Definition* const wanted[] = {&g_for_each_object};
  find_unwrapped(wanted);
}

bool is_ours(const dl_phdr_info& info) noexcept { return extent_of(info).holds(&k_own_address); }

int find_ourselves(dl_phdr_info* info, std::size_t, void* data) noexcept {
  if (!is_ours(*info)) return 0;
  *static_cast<ElfObject*>(data) = ElfObject(*info);
  return 1;
}

/// Whether `slot` is in a page that the loader made read-only after it had resolved the references.
bool is_read_only(const dl_phdr_info& info, Address slot, Address page) noexcept {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    const Address begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_GNU_RELRO && slot >= (begin & ~(page - 1)) &&
        slot < ((begin + header.p_memsz) & ~(page - 1)))
      return true;
  }
  return false;
}

void write_slot(const dl_phdr_info& info, Address slot, void* value) noexcept {
  const Address page = auxiliary_value(AT_PAGESZ, 0);
  auto* start = reinterpret_cast<void*>(slot & ~(page - 1));
  const bool locked = is_read_only(info, slot, page);
  if (page == 0 || (locked && config::system_call(SYS_mprotect, start, page, PROT_READ | PROT_WRITE) != 0))
    return; // stays with the runtime, which works too
  *reinterpret_cast<void**>(slot) = value;
  if (locked) config::system_call(SYS_mprotect, start, page, PROT_READ);
}

/// The first object before us, in the loader's order, that defines `name`.
struct Provider {
  SymbolName name;
  bool is_runtime = false; // and not a tool that wraps the function
};
int find_provider(dl_phdr_info* info, std::size_t, void* data) noexcept {
  auto& provider = *static_cast<Provider*>(data);
  if (is_ours(*info)) return 1;
  const ElfObject object(*info);
  if (object.find(provider.name) == nullptr) return 0;
  provider.is_runtime = is_runtime(object);
  return 1;
}

bool comes_from_runtime(const SymbolName& name) noexcept {
  Provider provider{name};
  g_for_each_object(0, find_provider, &provider);
  return provider.is_runtime;
}

int rebind_object(dl_phdr_info* info, std::size_t, void* data) noexcept {
  const auto& ours = *static_cast<const ElfObject*>(data);
  if (is_ours(*info)) return 0;
  const ElfObject object(*info);
  for (const ElfObject::Relocations& table : object.relocations()) {
    for (const ElfW(Rela) & entry : table) {
      const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info));
      if (type != k_jump_slot && type != k_global_data && (type != k_absolute || entry.r_addend != 0))
        continue;
      const std::string_view text = object.name_of_symbol(entry);
      if (!text.starts_with("__kmpc_") && !text.starts_with("GOMP_") && !text.starts_with("omp_")) continue;
      const SymbolName name(text);
      void* target = ours.find(name);
      if (target != nullptr && comes_from_runtime(name))
        write_slot(*info, object.base() + entry.r_offset, target);
    }
  }
  return 0;
}

constexpr SymbolName k_start_tool("ompt_start_tool");
constinit void* g_shadowing_tool = nullptr; // written once, by the thread that loads us

int find_shadowing_tool(dl_phdr_info* info, std::size_t, void* data) noexcept {
  if (is_ours(*info)) return 1;
  const ElfObject object(*info);
  if (is_runtime(object)) return 0; // a runtime has one for want of a better
  void*& found = *static_cast<void**>(data);
  found = object.find(k_start_tool);
  return found != nullptr ? 1 : 0;
}

int rebind_tool_start_of(dl_phdr_info* info, std::size_t, void* data) noexcept {
  const ElfObject object(*info);
  if (is_ours(*info) || !is_runtime(object)) return 0;
  for (const ElfObject::Relocations& table : object.relocations())
    for (const ElfW(Rela) & entry : table)
      if (const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info));
          (type == k_jump_slot || type == k_global_data) && object.name_of_symbol(entry) == k_start_tool.text)
        write_slot(*info, object.base() + entry.r_offset,
                   static_cast<const ElfObject*>(data)->find(k_start_tool));
  return 0;
}

} // namespace

void rebind_tool_start() noexcept {
  find_walk();
  ElfObject ours;
  g_for_each_object(0, find_shadowing_tool, &g_shadowing_tool);
  if (g_for_each_object(0, find_ourselves, &ours) != 0) g_for_each_object(0, rebind_tool_start_of, &ours);
}

void* shadowing_tool() noexcept { return g_shadowing_tool; }

void rebind_if_shadowed() noexcept {
  find_walk();
  ElfObject ours;
  if (g_for_each_object(0, find_ourselves, &ours) == 0) return;
  // libgomp has the second one only.
  if (comes_from_runtime(SymbolName("__kmpc_dispatch_init_4")) ||
      comes_from_runtime(SymbolName("GOMP_parallel")))
    g_for_each_object(0, rebind_object, &ours);
}

} // namespace wstree::abi
