// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/libc.h"

#include <dlfcn.h>
#include <link.h>

namespace wstree::abi {
namespace {

/// Fills in what this object has and no object before it had. False: nothing is missing any more.
bool look_in(const link_map& map, std::span<Definition* const> wanted) noexcept {
  const ElfObject object(map);
  bool missing = false;
  for (Definition* definition : wanted) {
    // relaxed: see LibcFunction. Several threads may find the same.
    if (definition->address.load(std::memory_order_relaxed) != nullptr) continue;
    if (void* found = object.find(definition->name))
      definition->address.store(found, std::memory_order_relaxed); // as above
    else
      missing = true;
  }
  return missing;
}

} // namespace

void find_next_definitions(std::span<Definition* const> wanted) noexcept {
  Dl_info info{};
  link_map* own = nullptr;
  if (dladdr1(&k_own_address, &info, reinterpret_cast<void**>(&own), RTLD_DL_LINKMAP) == 0 || own == nullptr)
    return;
  for (const link_map* object = own->l_next; object != nullptr; object = object->l_next)
    if (!look_in(*object, wanted)) return;
  // The C library is in front of us if somebody opened us late, or linked us behind it.
  const link_map* object = own;
  while (object->l_prev != nullptr) object = object->l_prev;
  for (; object != own; object = object->l_next)
    if (!look_in(*object, wanted)) return;
}

} // namespace wstree::abi
