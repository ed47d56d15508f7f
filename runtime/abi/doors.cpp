// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "doors.h"

#include "process/request.h"

#include <algorithm>
#include <string_view>

namespace wstree::abi {
namespace {

struct Function {
  std::string_view name;
  Doors::Entries entries;
};

static_assert(k_doors == 4);
#define WSTREE_ENTRIES(function)                                                                             \
  {                                                                                                          \
    reinterpret_cast<void*>(&function<1>), reinterpret_cast<void*>(&function<2>),                            \
        reinterpret_cast<void*>(&function<3>), reinterpret_cast<void*>(&function<4>)                         \
  }
const Function k_functions[] = {
    {"omp_set_schedule", WSTREE_ENTRIES(set_schedule_at)},
    {"omp_set_schedule_", WSTREE_ENTRIES(set_schedule_from)},
    {"omp_get_schedule", WSTREE_ENTRIES(get_schedule_at)},
    {"omp_get_schedule_", WSTREE_ENTRIES(get_schedule_at)},
    {"omp_get_num_procs", WSTREE_ENTRIES(num_procs_at)},
    {"omp_get_num_procs_", WSTREE_ENTRIES(num_procs_at)},
    {"omp_get_num_threads", WSTREE_ENTRIES(num_threads_at)},
    {"omp_get_thread_num", WSTREE_ENTRIES(thread_num_at)},
    {"GOMP_loop_end", WSTREE_ENTRIES(gomp::end_loop_at)},
    {"GOMP_loop_end_nowait", WSTREE_ENTRIES(gomp::end_loop_nowait_at)},
    {"GOMP_sections_end", WSTREE_ENTRIES(gomp::end_sections_at)},
    {"GOMP_sections_end_nowait", WSTREE_ENTRIES(gomp::end_sections_nowait_at)},
    {"GOMP_barrier", WSTREE_ENTRIES(gomp::wait_at)},
};
#undef WSTREE_ENTRIES

const Doors::Entries* entries_of(std::string_view name) noexcept {
  const auto* const found = std::find_if(std::begin(k_functions), std::end(k_functions),
                                         [&](const Function& each) { return each.name == name; });
  return found != std::end(k_functions) ? &found->entries : nullptr;
}

/// Returns whether only a tool is interested in the function.
bool is_told_only(std::string_view name) noexcept {
  if (name.starts_with("GOMP_sections") || name.starts_with("GOMP_barrier")) return true;
  constexpr std::string_view k_loop = "GOMP_loop_", k_ull = "ull_";
  if (!name.starts_with(k_loop)) return false;
  name.remove_prefix(k_loop.size());
  if (name.starts_with(k_ull)) name.remove_prefix(k_ull.size());
  return name.starts_with("static_") || name.starts_with("dynamic_") || name.starts_with("guided_") ||
         name.starts_with("ordered_static_") || name.starts_with("ordered_dynamic_") ||
         name.starts_with("ordered_guided_") || name.starts_with("doacross_static_") ||
         name.starts_with("doacross_dynamic_") || name.starts_with("doacross_guided_") ||
         name == "runtime_next" || name == "ordered_runtime_next";
}

/// Returns whether callers go straight to the runtime for now. omp_set_schedule() never does;
/// omp_get_schedule() does until the program asks for a schedule of ours.
bool passes(std::string_view name) noexcept {
  if (!active()) return !name.starts_with("omp_set_schedule");
  if (name == "omp_get_num_threads" || name == "omp_get_thread_num") return !wants_pieces();
  return !wants_tool() && is_told_only(name);
}

} // namespace

const Doors k_all_doors{entries_of, passes};

} // namespace wstree::abi
