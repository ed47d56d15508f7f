// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search for the functions of an OpenMP runtime, for the code of one kind of caller.
#pragma once

#include "resolve/loaded_objects.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace wstree::abi {

/// A function of the runtime that this library stands in front of, or asks.
struct Function {
  enum class Of : std::uint8_t {
    caller, ///< the function that the loader would have given to the caller
    regions ///< the function of the runtime in which the caller's regions are; none if the caller has two
  };
  constexpr Function(const char* function, bool may_be_missing, Of of_what) noexcept
      : name(function), is_optional(may_be_missing), of(of_what) {}

  /// For callers in the object that called first: see callers.h. The assembler code reads it.
  std::atomic<void*> of_first_caller{nullptr};
  const char* name;
  std::atomic<std::uint16_t> number{0}; ///< its place in the table of a Scope; 0: it has none yet
  bool is_optional;
  Of of;
};

/// The functions of OpenMP, by how their names begin.
enum class NameGroup : std::uint8_t { omp, gomp, kmpc };
std::optional<NameGroup> group_of(std::string_view name) noexcept;

/// In which objects to look, in which order: those that have been there from the beginning; then the runtimes
/// that the caller sees besides. And whose versions the caller wants.
class SearchOrder {
public:
  static constexpr std::size_t k_most_runtimes = 3;

  SearchOrder() noexcept = default;
  /// `runtimes`: the runtimes that `caller` sees besides; no caller for code that the process has
  /// made itself.
  SearchOrder(const LoadedObject& caller, std::span<const LoadedObject> runtimes) noexcept;

  /// nullptr: the runtime does not have it, or there is none.
  void* find(const Function& function) const noexcept;
  /// As above, for the function that a caller gets.
  void* find(const SymbolName& name) const noexcept;

  /// Returns whether the caller is a runtime, which gets its own functions back.
  bool is_runtimes_own() const noexcept { return own_.exists(); }
  bool regions_are_llvms() const noexcept { return regions_are_llvms_; }
  bool has_runtime() const noexcept { return regions_.exists(); }
  /// Returns an address in the runtime that has all functions for the caller; nullptr: there are several.
  const void* home() const noexcept;
  bool operator==(const SearchOrder& other) const noexcept;

  std::span<const LoadedObject> runtimes() const noexcept { return {runtimes_.data(), count_}; }

private:
  ElfObject provider_of(const SymbolName& name) const noexcept;
  Versions wanted_for(std::string_view name) const noexcept;
  bool calls(NameGroup group) const noexcept { return calls_[static_cast<std::size_t>(group)]; }

  ElfObject own_;
  std::array<LoadedObject, k_most_runtimes> runtimes_;
  std::size_t count_ = 0;
  std::array<Versions, 3> versions_{}; // versions that the caller wants, by group
  std::array<bool, 3> calls_{};        // true: the caller has references, by group
  ElfObject regions_;                  // the runtime of the caller's regions
  bool has_two_regions_ = false;
  bool regions_are_llvms_ = false;
};

/// Returns whether the code of `object` calls functions whose names begin like this.
bool calls(const ElfObject& object, std::string_view prefix) noexcept;

/// The functions that were found in one order. Never freed: a thread may be reading it.
class Scope {
public:
  static constexpr std::uint16_t k_functions = 256;

  explicit Scope(const SearchOrder& search) noexcept : order(search) {}

  /// nullptr: see SearchOrder. Remembers its result.
  void* find(Function& function) noexcept;
  /// Returns the remembered address of the function with this number, missing(), or nullptr if nothing
  /// is remembered.
  void* known(std::uint16_t number) const noexcept {
    return addresses_[number].load(std::memory_order_relaxed); // leads to code, which the loader has mapped
  }
  static void* missing() noexcept { return reinterpret_cast<void*>(std::uintptr_t{1}); }
  const SearchOrder order;
  Scope* older = nullptr; ///< in the list of all
  // relaxed, both: they are set before the loader changes its list, or after.
  std::atomic<bool> is_kept{false}; ///< its runtimes stay in the process
  std::atomic<bool> is_dead{false}; ///< a runtime of it has gone

private:
  std::array<std::atomic<void*>, k_functions> addresses_{};
};

} // namespace wstree::abi
