// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "place_name.h"

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "code_place.h"

namespace wstree::observe {
namespace {

constexpr std::size_t k_file_size = 80;
constexpr std::size_t k_function_size = 64;
constexpr std::size_t k_module_size = 96;
constexpr std::size_t k_longest_source = 8192;

std::string_view next_field(std::string_view& text) noexcept {
  const std::size_t size = text.find(';') < text.size() ? text.find(';') : text.size();
  const std::string_view field(text.data(), size);
  text.remove_prefix(size < text.size() ? size + 1 : size);
  return field;
}

bool is_line_number(std::string_view text) noexcept {
  if (text.empty() || text.size() > 10 || text.front() == '0') return false;
  for (const char c : text)
    if (c < '0' || c > '9') return false;
  return true;
}

void append_path_end(PlaceName& name, std::string_view path, std::size_t limit) noexcept {
  if (path.size() > limit) {
    path.remove_prefix(path.size() - (limit - 3));
    while (!path.empty() && (static_cast<unsigned char>(path.front()) & 0xc0u) == 0x80u)
      path.remove_prefix(1);
    name.append("...");
  }
  name.append(path);
}

/// Compilers write ";file;function;line;column;;", and "unknown" for what they do not know.
bool name_by_source(PlaceName& name, const char* psource) noexcept {
  if (psource == nullptr || *psource != ';') return false;
  std::string_view rest(psource + 1, strnlen(psource + 1, k_longest_source));
  const std::string_view file = next_field(rest);
  const std::string_view function = next_field(rest);
  const std::string_view line = next_field(rest);
  if (file.empty() || file == "unknown" || !is_line_number(line)) return false;
  append_path_end(name, file, k_file_size);
  name.append(':').append(line);
  if (!function.empty() && function != "unknown")
    name.append(" (").append_foreign(function, k_function_size).append(')');
  return true;
}

struct Search {
  std::uintptr_t address;
  PlaceName* name;
};

int name_if_inside(dl_phdr_info* module, std::size_t, void* data) {
  const auto& search = *static_cast<Search*>(data);
  if (!holds(*module, search.address)) return 0;
  std::string_view file = module->dlpi_name != nullptr ? module->dlpi_name : "";
  if (file.empty() && program_invocation_short_name != nullptr) file = program_invocation_short_name;
  if (const auto slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  append_path_end(*search.name, file, k_module_size);
  search.name->append("+0x").append_number(search.address - module->dlpi_addr, 16);
  return 1;
}

} // namespace

PlaceName name_place(const void* address, const char* psource) noexcept {
  PlaceName name;
  if (name_by_source(name, psource)) return name;
  const int saved_errno = errno;
  Search search{reinterpret_cast<std::uintptr_t>(address), &name};
  // Not dladdr: it waits for the lock that dlopen holds while it runs constructors. A constructor that opens
  // a parallel region and waits for a member that is here would wait for ever.
  if (dl_iterate_phdr(name_if_inside, &search) == 0) name.append("0x").append_number(search.address, 16);
  errno = saved_errno;
  return name;
}

} // namespace wstree::observe
