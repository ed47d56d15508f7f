// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the place of libhwloc: forwards to the real one, counts the calls and, when the process ends, appends
// their number to the file $HWLOC_CALLS. STAND_IN_FAILS names a function that fails instead;
// STAND_IN_WITHOUT_FUNCTIONS makes a library in which there is nothing.
#ifdef STAND_IN_WITHOUT_FUNCTIONS
extern "C" int hwloc_has_no_functions;
int hwloc_has_no_functions = 1;
#else
#include <hwloc.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <type_traits>

namespace {

std::atomic<long> calls{0};

void* real(const char* name) {
  static void* const library = dlopen(REAL_HWLOC, RTLD_NOW | RTLD_LOCAL);
  void* const found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) std::abort();
  return found;
}

/// Before the exit of the process or, if that comes first, before this library is closed.
[[gnu::destructor]] void write_calls() {
  const char* path = std::getenv("HWLOC_CALLS");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "a");
  if (file == nullptr) return;
  std::fprintf(file, "%ld\n", calls.load());
  std::fclose(file);
}

#ifdef STAND_IN_FAILS
bool fails(const char* name) { return std::strcmp(name, STAND_IN_FAILS) == 0; }
#else
bool fails(const char*) { return false; }
#endif

template <class Result, class... Arguments, class... Values>
Result forward(Result (*)(Arguments...), const char* name, Values... values) {
  ++calls;
  if constexpr (!std::is_void_v<Result> && std::is_integral_v<Result>)
    if (fails(name)) return static_cast<Result>(-1);
  return reinterpret_cast<Result (*)(Arguments...)>(real(name))(values...);
}

} // namespace

#define FORWARD(result, name, parameters, ...)                                                               \
  extern "C" result name parameters { return forward(&::name, #name __VA_OPT__(, ) __VA_ARGS__); }

FORWARD(int, hwloc_topology_init, (hwloc_topology_t * topology), topology)
FORWARD(void, hwloc_topology_destroy, (hwloc_topology_t topology), topology)
FORWARD(int, hwloc_topology_load, (hwloc_topology_t topology), topology)
FORWARD(int, hwloc_topology_set_flags, (hwloc_topology_t topology, unsigned long flags), topology, flags)
FORWARD(int, hwloc_topology_set_synthetic, (hwloc_topology_t topology, const char* text), topology, text)
FORWARD(int, hwloc_topology_set_xml, (hwloc_topology_t topology, const char* path), topology, path)
FORWARD(int, hwloc_topology_set_all_types_filter, (hwloc_topology_t topology, hwloc_type_filter_e filter),
        topology, filter)
FORWARD(int, hwloc_topology_set_type_filter,
        (hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_type_filter_e filter), topology, type,
        filter)
FORWARD(int, hwloc_get_type_depth, (hwloc_topology_t topology, hwloc_obj_type_t type), topology, type)
FORWARD(unsigned, hwloc_get_nbobjs_by_depth, (hwloc_topology_t topology, int depth), topology, depth)
FORWARD(hwloc_obj_t, hwloc_get_obj_by_depth, (hwloc_topology_t topology, int depth, unsigned index), topology,
        depth, index)
FORWARD(hwloc_bitmap_t, hwloc_bitmap_alloc, ())
FORWARD(void, hwloc_bitmap_free, (hwloc_bitmap_t bitmap), bitmap)
FORWARD(int, hwloc_bitmap_next, (hwloc_const_bitmap_t bitmap, int index), bitmap, index)
FORWARD(int, hwloc_bitmap_weight, (hwloc_const_bitmap_t bitmap), bitmap)
FORWARD(int, hwloc_cpukinds_get_nr, (hwloc_topology_t topology, unsigned long flags), topology, flags)
FORWARD(int, hwloc_cpukinds_get_info,
        (hwloc_topology_t topology, unsigned index, hwloc_bitmap_t cpus, int* efficiency, unsigned* infos,
         hwloc_info_s** info, unsigned long flags),
        topology, index, cpus, efficiency, infos, info, flags)
#endif
