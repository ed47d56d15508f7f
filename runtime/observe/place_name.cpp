// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "place_name.h"

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "code_place.h"
#include "source_text.h"

namespace wstree::observe {
namespace {

constexpr std::size_t k_file_size = 80;
constexpr std::size_t k_function_size = 64;
constexpr std::size_t k_module_size = 96;

void append_path_end(PlaceName& name, std::string_view path, std::size_t limit) noexcept {
  if (path.size() > limit) {
    path.remove_prefix(path.size() - (limit - 3));
    while (!path.empty() && (static_cast<unsigned char>(path.front()) & 0xc0u) == 0x80u)
      path.remove_prefix(1);
    name.append("...");
  }
  name.append(path);
}

bool name_by_source(PlaceName& name, const char* psource) noexcept {
  const SourceText source = read_source_text(psource);
  if (source.file.empty()) return false;
  append_path_end(name, source.file, k_file_size);
  name.append(':').append_number(source.line);
  if (!source.function.empty())
    name.append(" (").append_foreign(source.function, k_function_size).append(')');
  return true;
}

void name_by_module(PlaceName& name, const void* address) noexcept {
  const dl_phdr_info module = module_around(address);
  if (module.dlpi_phnum != 0) {
    std::string_view file = module.dlpi_name != nullptr ? module.dlpi_name : "";
    if (file.empty() && program_invocation_short_name != nullptr) file = program_invocation_short_name;
    if (const auto slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
    append_path_end(name, file, k_module_size);
    name.append('+');
  }
  name.append("0x").append_number(reinterpret_cast<std::uintptr_t>(address) - module.dlpi_addr, 16);
}

} // namespace

PlaceName name_place(const void* address, const char* psource) noexcept {
  PlaceName name;
  if (name_by_source(name, psource)) return name;
  const int saved_errno = errno;
  // Not dladdr: it waits for the lock that dlopen holds while it runs constructors. A constructor that opens
  // a parallel region and waits for a member that is here would wait for ever.
  name_by_module(name, address);
  errno = saved_errno;
  return name;
}

} // namespace wstree::observe
