// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instead of machine_load.cpp in a library that was built without the headers of hwloc.
#include "machine.h"

namespace wstree::place {

std::unique_ptr<const Machine> Machine::load(const MachineSource& /*source*/,
                                             std::string_view& why) noexcept {
  why = "the library was built without hwloc";
  return nullptr;
}

} // namespace wstree::place
