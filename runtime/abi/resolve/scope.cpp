// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/scope.h"

#include <algorithm>
#include <string_view>

namespace wstree::abi {
namespace {

constinit std::atomic<std::uint16_t> g_next_number{1};

/// Returns the place of `function` in the tables; 0: they are full.
std::uint16_t number_of(Function& function) noexcept {
  // relaxed, all of the numbers: a number is the place to look, and the word there is complete by itself.
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

} // namespace

std::optional<NameGroup> group_of(std::string_view name) noexcept {
  if (name.starts_with("omp_")) return NameGroup::omp;
  if (name.starts_with("GOMP_")) return NameGroup::gomp;
  if (name.starts_with("__kmpc_")) return NameGroup::kmpc;
  return std::nullopt;
}

bool calls(const ElfObject& object, std::string_view prefix) noexcept {
  for (const auto& relocations : object.relocations())
    for (const auto& relocation : relocations)
      if (std::string_view(object.name_of_symbol(relocation)).starts_with(prefix)) return true;
  return false;
}

SearchOrder::SearchOrder(const LoadedObject& caller, std::span<const LoadedObject> runtimes) noexcept {
  if (is_runtime(caller.tables)) own_ = caller.tables;
  for (const LoadedObject& each : runtimes)
    if (count_ < k_most_runtimes && !is_initial(each.tables)) runtimes_[count_++] = each;
  for (const auto& relocations : caller.tables.relocations())
    for (const auto& relocation : relocations)
      if (const auto group = group_of(caller.tables.name_of_symbol(relocation))) {
        const auto number = static_cast<std::size_t>(*group);
        calls_[number] = true;
        if (versions_[number] == Versions::any) versions_[number] = caller.tables.versions_of(relocation);
      }

  if (own_.exists()) {
    regions_ = own_;
    regions_are_llvms_ = own_.defines(SymbolName("__kmpc_dispatch_init_4"));
    return;
  }
  const ElfObject clangs = provider_of(SymbolName("__kmpc_fork_call"));
  const ElfObject gccs = provider_of(SymbolName("GOMP_parallel"));
  const bool has_clangs = is_runtime(clangs), has_gccs = is_runtime(gccs);
  regions_ = has_clangs ? clangs : has_gccs ? gccs : ElfObject();
  if (has_clangs && has_gccs && !(clangs == gccs)) {
    const bool calls_clangs = calls(NameGroup::kmpc), calls_gccs = calls(NameGroup::gomp);
    has_two_regions_ = calls_clangs && calls_gccs;
    if (!calls_clangs && calls_gccs) regions_ = gccs;
  }
  regions_are_llvms_ = regions_.exists() && regions_.defines(SymbolName("__kmpc_dispatch_init_4"));
}

Versions SearchOrder::wanted_for(std::string_view name) const noexcept {
  const auto group = group_of(name);
  return group ? versions_[static_cast<std::size_t>(*group)] : Versions::any;
}

/// The object that defines `name` for the caller. In front of this library only runtimes count: a tool there
/// has called us itself, and wants the next definition.
ElfObject SearchOrder::provider_of(const SymbolName& name) const noexcept {
  const Versions wanted = wanted_for(name.text);
  if (own_.exists() && own_.defines(name)) return own_;
  ElfObject provider;
  const auto provides = [&](const ElfObject& object, bool is_behind_us) {
    if (!object.defines(name, wanted) || (!is_behind_us && !is_runtime(object))) return false;
    provider = object;
    return true;
  };
  if (any_initial(provides)) return provider;
  for (const LoadedObject& each : runtimes())
    if (each.tables.defines(name, wanted)) return each.tables;
  return {};
}

const void* SearchOrder::home() const noexcept {
  const bool is_only =
      provider_of(k_runtime_function) == regions_ && provider_of(SymbolName("GOMP_parallel")) == regions_;
  return is_only ? regions_.dynamic() : nullptr;
}

void* SearchOrder::find(const SymbolName& name) const noexcept {
  const ElfObject provider = provider_of(name);
  return provider.find(name, provider == own_ ? Versions::any : wanted_for(name.text));
}

void* SearchOrder::find(const Function& function) const noexcept {
  const SymbolName name(function.name);
  if (function.of == Function::Of::regions) {
    if (has_two_regions_) return nullptr;
    if (void* const found = regions_.find(name)) return found;
  }
  return find(name);
}

bool SearchOrder::operator==(const SearchOrder& other) const noexcept {
  return own_ == other.own_ && regions_ == other.regions_ && versions_ == other.versions_ &&
         has_two_regions_ == other.has_two_regions_ &&
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
