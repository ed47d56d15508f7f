// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/scope.h"

#include <algorithm>
#include <string_view>

namespace wstree::abi {
namespace {

/// Functions by number. relaxed: they are constants of this library.
constinit std::atomic<const Function*> g_functions[Scope::k_functions] = {};
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
  g_functions[next].store(&function, std::memory_order_relaxed);
  return next;
}

/// Whether the code of `object` calls functions whose names begin like this.
bool calls(const ElfObject& object, std::string_view prefix) noexcept {
  for (const auto& relocations : object.relocations())
    for (const auto& relocation : relocations)
      if (std::string_view(object.name_of_symbol(relocation)).starts_with(prefix)) return true;
  return false;
}

/// Whether the loader has bound a call or a pointer of `caller` to a function of OpenMP in `provider`: then
/// it binds all such calls there that are not to this library.
bool is_bound_to(const ElfObject& caller, const LoadedObject& provider) noexcept {
  for (const auto& relocations : caller.relocations())
    for (const auto& relocation : relocations) {
      const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(relocation.r_info));
      if (type != k_jump_slot && type != k_global_data) continue;
      const std::string_view name = caller.name_of_symbol(relocation);
      if (!name.starts_with("omp_") && !name.starts_with("GOMP_") && !name.starts_with("__kmpc_")) continue;
      const auto* slot = reinterpret_cast<void* const*>(caller.base() + relocation.r_offset);
      if (provider.extent.holds(*slot)) return true;
    }
  return false;
}

bool has_initial_runtime() noexcept {
  return any_initial([](const ElfObject& object, bool) { return is_runtime(object); });
}

} // namespace

SearchOrder::SearchOrder(const LoadedObject& caller) noexcept {
  if (is_runtime(caller.tables)) own_ = caller.tables;
  if (!(caller && is_initial(caller.tables) && has_initial_runtime())) find_later_providers(caller);
  find_regions(caller);
}

/// What is there from the beginning is searched first, and for every caller.
void SearchOrder::find_later_providers(const LoadedObject& caller) noexcept {
  std::array<LoadedObject, k_most_providers> found;
  std::size_t count = find_providers(found);
  const auto end = std::remove_if(found.begin(), found.begin() + count, [&](const LoadedObject& each) {
    return is_initial(each.tables) || each.tables == caller.tables;
  });
  count = static_cast<std::size_t>(end - found.begin());
  const Providers later(found.data(), count);
  is_callers_alone_ = count > 1;
  if (count > 1 && caller) {
    sort_as_seen_by(caller, later);
    // An object that was opened for all to see comes before those that the caller alone sees.
    const auto bound = std::find_if(later.begin(), later.end(), [&](const LoadedObject& each) {
      return is_bound_to(caller.tables, each);
    });
    if (bound != later.end()) std::rotate(later.begin(), bound, bound + 1);
  }
  for (const LoadedObject& each : later) {
    providers_[count_++] = each.tables;
    is_permanent_ = is_permanent_ && each.tables.never_unloads();
  }
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
  for (std::size_t i = 0; i < count_; ++i)
    if (providers_[i].defines(name)) return providers_[i];
  return {};
}

void SearchOrder::find_regions(const LoadedObject& caller) noexcept {
  const ElfObject clangs = provider_of(SymbolName("__kmpc_fork_call"));
  const ElfObject gccs = provider_of(SymbolName("GOMP_parallel"));
  const bool has_clangs = is_runtime(clangs), has_gccs = is_runtime(gccs);
  regions_ = has_clangs ? clangs : has_gccs ? gccs : ElfObject();
  if (has_clangs && has_gccs && !(clangs == gccs)) {
    is_callers_alone_ = true;
    const bool calls_clangs = calls(caller.tables, "__kmpc_"), calls_gccs = calls(caller.tables, "GOMP_");
    has_two_regions_ = calls_clangs && calls_gccs;
    if (!calls_clangs && calls_gccs) regions_ = gccs;
  }
  regions_are_llvms_ = regions_.exists() && regions_.defines(SymbolName("__kmpc_dispatch_init_4"));
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
  return own_ == other.own_ && count_ == other.count_ && regions_ == other.regions_ &&
         has_two_regions_ == other.has_two_regions_ &&
         std::equal(providers_.begin(), providers_.begin() + count_, other.providers_.begin());
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

bool Scope::is_up_to_date() const noexcept {
  for (std::uint16_t number = 1; number < k_functions; ++number) {
    const Function* function = g_functions[number].load(std::memory_order_relaxed);
    void* const found = addresses_[number].load(std::memory_order_relaxed);
    if (function == nullptr || found == nullptr) continue;
    if (order.find(*function) != (found != missing() ? found : nullptr)) return false;
  }
  return true;
}

} // namespace wstree::abi
