// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/omp_queries.h"

namespace wstree::abi {

constinit Real<int()> g_get_level = question<int()>("omp_get_level");

namespace {

constinit Real<int()> g_get_active_level = question<int()>("omp_get_active_level");
constinit Real<int()> g_get_max_active_levels = question<int()>("omp_get_max_active_levels");
constinit Real<int()> g_get_num_threads = question<int()>("omp_get_num_threads");
constinit Real<int()> g_get_thread_num = question<int()>("omp_get_thread_num");

} // namespace

int runtime_threads(const void* caller) noexcept {
  const auto get = g_get_num_threads.find(caller);
  return get != nullptr ? get() : -1;
}

int runtime_thread(const void* caller) noexcept {
  const auto get = g_get_thread_num.find(caller);
  return get != nullptr ? get() : -1;
}

bool runtime_is_llvms(const void* caller) noexcept { return regions_are_llvms(caller); }

bool runtime_may_nest(const void* caller) noexcept {
  const auto most = g_get_max_active_levels.find(caller);
  const auto level = g_get_active_level.find(caller);
  return most != nullptr && level != nullptr && level() < most();
}

} // namespace wstree::abi
