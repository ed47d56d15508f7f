// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/scope.h"

#include <algorithm>
#include <string_view>

namespace wstree::abi {
namespace {

constinit std::atomic<std::uint16_t> g_next_number{1};

/// The place of `function` in the tables; 0: they are full.
std::uint16_t number_of(Function& function) noexcept {
  // relaxed, all of the numbers: a number says where to look, and what is there is complete by itself.
  std::uint16_t number = function.number.load(std::memory_order_relaxed);
  if (number != 0) return number;
  const std::uint16_t next = g_next_number.fetch_add(1, std::memory_order_relaxed);
  if (next >= Scope::k_functions) {
    g_next_number.store(Scope::k_functions, std::memory_order_relaxed); // keeps it from going round
    return 0;
  }
  if (!function.number.compare_exchange_strong(number, next, std::memory_order_relaxed)) return number;
  return next;
}

bool is_openmp(std::string_view name) noexcept {
  return name.starts_with("omp_") || name.starts_with("GOMP_") || name.starts_with("__kmpc_");
}

} // namespace

bool calls(const ElfObject& object, std::string_view prefix) noexcept {
  for (const auto& relocations : object.relocations())
    for (const auto& relocation : relocations)
      if (std::string_view(object.name_of_symbol(relocation)).starts_with(prefix)) return true;
  return false;
}

std::size_t find_bound_runtimes(const LoadedObject& caller, std::span<LoadedObject> room) noexcept {
  std::size_t found = 0;
  for (const auto& relocations : caller.tables.relocations())
    for (const auto& relocation : relocations) {
      const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(relocation.r_info));
      if (type != k_jump_slot && type != k_global_data) continue;
      if (!is_openmp(caller.tables.name_of_symbol(relocation))) continue;
      const void* const bound = *reinterpret_cast<void* const*>(caller.tables.base() + relocation.r_offset);
      // Where the loader has not bound the call yet, the slot leads back into the caller.
      if (bound == nullptr || caller.extent.holds(bound) || is_own_code(bound)) continue;
      const auto end = room.begin() + static_cast<std::ptrdiff_t>(found);
      if (std::any_of(room.begin(), end, [&](const LoadedObject& each) { return each.extent.holds(bound); }))
        continue;
      const LoadedObject object = object_around(bound);
      if (object && is_runtime(object.tables) && found < room.size()) room[found++] = object;
    }
  return found;
}

SearchOrder::SearchOrder(const LoadedObject& caller, std::span<const LoadedObject> runtimes) noexcept {
  if (is_runtime(caller.tables)) own_ = caller.tables;
  for (const LoadedObject& each : runtimes)
    if (count_ < k_most_runtimes && !is_initial(each.tables)) runtimes_[count_++] = each;

  const ElfObject clangs = provider_of(SymbolName("__kmpc_fork_call"));
  const ElfObject gccs = provider_of(SymbolName("GOMP_parallel"));
  const bool has_clangs = is_runtime(clangs), has_gccs = is_runtime(gccs);
  regions_ = has_clangs ? clangs : has_gccs ? gccs : ElfObject();
  if (has_clangs && has_gccs && !(clangs == gccs)) {
    const bool calls_clangs = calls(caller.tables, "__kmpc_"), calls_gccs = calls(caller.tables, "GOMP_");
    has_two_regions_ = calls_clangs && calls_gccs;
    if (!calls_clangs && calls_gccs) regions_ = gccs;
  }
  regions_are_llvms_ = regions_.exists() && regions_.defines(SymbolName("__kmpc_dispatch_init_4"));
}

/// The object that defines `name` for the caller. In front of this library only runtimes count: a tool there
/// has called us itself, and wants the next definition.
ElfObject SearchOrder::provider_of(const SymbolName& name) const noexcept {
  if (own_.exists() && own_.defines(name)) return own_;
  ElfObject provider;
  const auto provides = [&](const ElfObject& object, bool is_behind_us) {
    if (!object.defines(name) || (!is_behind_us && !is_runtime(object))) return false;
    provider = object;
    return true;
  };
  if (any_initial(provides)) return provider;
  for (const LoadedObject& each : runtimes())
    if (each.tables.defines(name)) return each.tables;
  return {};
}

void* SearchOrder::find(const Function& function) const noexcept {
  const SymbolName name(function.name);
  if (function.of == Function::Of::regions) {
    if (has_two_regions_) return nullptr;
    if (void* const found = regions_.find(name)) return found;
  }
  return provider_of(name).find(name);
}

bool SearchOrder::operator==(const SearchOrder& other) const noexcept {
  return own_ == other.own_ && regions_ == other.regions_ && has_two_regions_ == other.has_two_regions_ &&
         std::equal(runtimes().begin(), runtimes().end(), other.runtimes().begin(), other.runtimes().end(),
                    [](const LoadedObject& a, const LoadedObject& b) { return a.tables == b.tables; });
}

void* Scope::find(Function& function) noexcept {
  const std::uint16_t number = number_of(function);
  if (number == 0) return order.find(function);
  // relaxed: an address leads to code only, which the loader has mapped before.
  void* found = addresses_[number].load(std::memory_order_relaxed);
  if (found == nullptr) {
    found = order.find(function);
    const bool is_final = found != nullptr || (function.is_optional && order.has_runtime());
    if (is_final) addresses_[number].store(found != nullptr ? found : missing(), std::memory_order_relaxed);
  }
  return found != missing() ? found : nullptr;
}

} // namespace wstree::abi
