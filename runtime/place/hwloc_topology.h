// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A topology of hwloc, loaded with as little as a Machine needs. For the .cpp files of this folder alone.
#pragma once

#include "hwloc_library.h"
#include "machine.h"

#include <string_view>

namespace wstree::place {

class Topology {
public:
  explicit Topology(const HwlocLibrary& hwloc) noexcept : hwloc_(hwloc), handle_(hwloc.make_topology()) {}
  ~Topology() {
    if (handle_ != nullptr) hwloc_.topology_destroy(handle_);
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  /// Loads the topology. Returns the error; empty: it is loaded.
  std::string_view load(const MachineSource& source) noexcept {
    if (handle_ == nullptr) return "hwloc does not start";
    keep_only_what_counts();
    switch (source.kind) {
    case MachineSource::Kind::this_system:
      set_flags_for_this_system(source.mask == nullptr ? HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING : 0);
      break;
    case MachineSource::Kind::synthetic:
      if (source.text == nullptr || hwloc_.topology_set_synthetic(handle_, source.text) != 0)
        return "hwloc does not understand the description";
      break;
    case MachineSource::Kind::xml_file:
      if (source.text == nullptr || hwloc_.topology_set_xml(handle_, source.text) != 0)
        return "hwloc cannot read the XML file";
      break;
    }
    return hwloc_.topology_load(handle_) == 0 ? std::string_view() : "hwloc cannot load the topology";
  }

  hwloc_topology_t get() const noexcept { return handle_; }

private:
  void keep_only_what_counts() noexcept {
    hwloc_.topology_set_all_types_filter(handle_, HWLOC_TYPE_FILTER_KEEP_NONE);
    for (const auto type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE})
      hwloc_.topology_set_type_filter(handle_, type, HWLOC_TYPE_FILTER_KEEP_ALL);
    // A NUMA node that is no package and no cache hangs on a group, and only so are its CPUs neighbours.
    hwloc_.topology_set_type_filter(handle_, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  }

  void set_flags_for_this_system(unsigned long restriction) noexcept {
    // Without changing the binding: hwloc would move the calling thread to each CPU to ask it about itself.
    const unsigned long flags =
        HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING | restriction;
#if HWLOC_API_VERSION >= 0x00020800
    constexpr unsigned long and_faster = HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS;
#else
    constexpr unsigned long and_faster = 0;
#endif
    // An older hwloc refuses newer flags. The result is restricted to the mask in any case.
    if (hwloc_.topology_set_flags(handle_, flags | and_faster) == 0) return;
    if (hwloc_.topology_set_flags(handle_, flags) == 0) return;
    hwloc_.topology_set_flags(handle_, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM);
  }

  const HwlocLibrary& hwloc_;
  hwloc_topology_t handle_;
};

} // namespace wstree::place
