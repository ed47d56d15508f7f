// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sanitizers.h"

#include "loop_calls.h"

#include <algorithm>
#include <array>

namespace wstree::cli {

bool is_sanitizer(std::string_view library) {
  static constexpr std::array<std::string_view, 5> k_kinds{"asan", "tsan", "ubsan", "lsan", "hwasan"};
  const auto name = library.substr(library.rfind('/') + 1);
  return std::any_of(k_kinds.begin(), k_kinds.end(), [&](std::string_view kind) {
    for (const std::string_view prefix :
         {"lib", "libclang_rt."}) { // libasan.so.8, libclang_rt.asan-x86_64.so
      if (!name.starts_with(prefix) || !name.substr(prefix.size()).starts_with(kind)) continue;
      const auto rest = name.substr(prefix.size() + kind.size());
      if (rest.starts_with('.') || rest.starts_with('-') || rest.starts_with('_')) return true;
    }
    return false;
  });
}

std::vector<std::string> sanitizers_of(const std::filesystem::path& program) {
  std::vector<std::string> found;
  const auto file = program.empty() ? std::nullopt : ElfFile::open(program);
  if (!file) return found;
  file->for_each_needed([&](std::string_view name) {
    if (is_sanitizer(name)) found.emplace_back(name);
  });
  if (found.empty()) return found;
  for (const auto& library : loaded_libraries(file->loader(), program)) {
    const auto path = library.string();
    std::replace(found.begin(), found.end(), library.filename().string(), path);
  }
  return found;
}

} // namespace wstree::cli
