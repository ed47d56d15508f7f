// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/libc.h"

#include "resolve/loaded_objects.h"

#include <link.h>

#include <string_view>

namespace wstree::abi {
namespace {

/// Fills in the functions that this object has and no object before it had. Returns whether one is
/// still missing.
bool look_in(const ElfObject& object, std::span<Definition* const> wanted) noexcept {
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

int look_behind_us(dl_phdr_info* info, std::size_t, void* data) noexcept {
  const auto& wanted = *static_cast<std::span<Definition* const>*>(data);
  return !extent_of(*info).holds(&k_own_address) && !look_in(ElfObject(*info), wanted) ? 1 : 0;
}

/// Objects may call before our constructor has run.
const link_map* known_own_map() noexcept {
  if (own_map() == nullptr) remember_initial_objects();
  return own_map();
}

} // namespace

void find_next_definitions(std::span<Definition* const> wanted) noexcept {
  if (!is_glibc()) {
    dl_iterate_phdr(look_behind_us, &wanted);
    return;
  }
  const link_map* const own = known_own_map();
  if (own == nullptr) return;
  for (const link_map* object = own->l_next; object != nullptr; object = object->l_next)
    if (!look_in(ElfObject(*object), wanted)) return;
  // The C library is in front of us if a program opened us late, or linked us behind it.
  for (const link_map* object = first_initial(); object != own; object = object->l_next)
    if (!look_in(ElfObject(*object), wanted)) return;
}

void find_unwrapped(std::span<Definition* const> wanted) noexcept {
  if (known_own_map() == nullptr) return;
  for (const link_map* object = first_initial(); object != nullptr; object = object->l_next)
    if (std::string_view(object->l_name).ends_with("/libc.so.6")) look_in(ElfObject(*object), wanted);
}

unsigned long auxiliary_value(unsigned long type, unsigned long otherwise) noexcept {
  static constinit LibcFunction<unsigned long(unsigned long)> getauxval{"getauxval"};
  Definition* const wanted[] = {&getauxval};
  find_unwrapped(wanted);
  return getauxval(otherwise, type);
}

} // namespace wstree::abi
