// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/omp_queries.h"

#include <atomic>

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

bool runtime_is_llvms(const void* caller) noexcept {
  // Of the runtimes that were asked about: functions of the latest one of each kind.
  static constinit std::atomic<const void*> llvms{nullptr};
  static constinit std::atomic<const void*> other{nullptr};
  const auto* const get = reinterpret_cast<const void*>(g_get_level.find(caller));
  if (get == nullptr) return false;
  // relaxed: runtimes stay what they are, and whoever misses one looks again. Guard: abi.gcc.*on_libomp.
  if (get == other.load(std::memory_order_relaxed)) return false;
  if (get == llvms.load(std::memory_order_relaxed)) return true;
  const bool is_llvms = is_beside(get, "__kmpc_dispatch_init_4");
  (is_llvms ? llvms : other).store(get, std::memory_order_relaxed);
  return is_llvms;
}

bool runtime_may_nest(const void* caller) noexcept {
  const auto most = g_get_max_active_levels.find(caller);
  const auto level = g_get_active_level.find(caller);
  return most != nullptr && level != nullptr && level() < most();
}

} // namespace wstree::abi
