// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ompt/find_tool.h"

#include "fixed_text.h"
#include "resolve/binding.h"

#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <string_view>

namespace wstree::abi::ompt {

StartResult* start_loaded_tool(unsigned version, const char* runtime) noexcept {
  // A tail call would make dlsym look behind the wrong object: hence the variable.
  void* volatile found = shadowing_tool();
  if (found == nullptr) found = dlsym(RTLD_NEXT, "ompt_start_tool");
  const auto next = reinterpret_cast<StartTool*>(found);
  return next != nullptr ? next(version, runtime) : nullptr;
}

StartResult* start_listed_tool(unsigned version, const char* runtime) noexcept {
  const char* listed = std::getenv("OMP_TOOL_LIBRARIES");
  std::string_view rest = listed != nullptr ? listed : "";
  while (!rest.empty()) {
    config::FixedText<PATH_MAX> name(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(rest.size(), name.view().size() + 1));
    if (name.view().empty() || name.truncated()) continue;
    void* library = dlopen(name.c_str(), RTLD_LAZY);
    if (library == nullptr) continue;
    const auto start = reinterpret_cast<StartTool*>(dlsym(library, "ompt_start_tool"));
    if (StartResult* result = start != nullptr ? start(version, runtime) : nullptr) return result;
    dlclose(library);
  }
  return nullptr;
}

} // namespace wstree::abi::ompt
