// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of libhwloc, opened when they are needed. For the .cpp files of this folder alone: no other
// file is to see hwloc.h.
#pragma once

#include <hwloc.h>

#include <string_view>

namespace wstree::place {

// Functions of hwloc that this folder calls; the optional ones are missing before hwloc 2.4, or may be.
#define WSTREE_HWLOC_REQUIRED(f)                                                                             \
  f(topology_init) f(topology_destroy) f(topology_load) f(topology_set_flags) f(topology_set_synthetic)      \
      f(topology_set_xml) f(topology_set_all_types_filter) f(topology_set_type_filter) f(get_type_depth)     \
          f(get_nbobjs_by_depth) f(get_obj_by_depth) f(bitmap_alloc) f(bitmap_free) f(bitmap_next)           \
              f(bitmap_weight)
#define WSTREE_HWLOC_OPTIONAL(f) f(cpukinds_get_nr) f(cpukinds_get_info)

/// hwloc_x() is member x; an optional one may be null.
class HwlocLibrary {
public:
  /// Opens libhwloc. is_open() returns whether that worked, and problem() why not.
  HwlocLibrary() noexcept;
  ~HwlocLibrary();
  HwlocLibrary(const HwlocLibrary&) = delete;
  HwlocLibrary& operator=(const HwlocLibrary&) = delete;

  bool is_open() const noexcept { return problem_.empty(); }
  std::string_view problem() const noexcept { return problem_; }

  /// hwloc_topology_init() without hwloc's plugins: they load graphics and XML libraries, which takes long
  /// and has no place in the process of another program. Null if it fails.
  hwloc_topology_t make_topology() const noexcept;

#define WSTREE_HWLOC_MEMBER(name) decltype(&::hwloc_##name) name = nullptr;
  WSTREE_HWLOC_REQUIRED(WSTREE_HWLOC_MEMBER)
  WSTREE_HWLOC_OPTIONAL(WSTREE_HWLOC_MEMBER)
#undef WSTREE_HWLOC_MEMBER

private:
  void* handle_ = nullptr;
  bool alone_ = false; // the process had not loaded the library before
  std::string_view problem_;
};

} // namespace wstree::place
