// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where code of one kind of caller finds the functions of its OpenMP runtime.
#pragma once

#include "resolve/loaded_objects.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace wstree::abi {

/// A function of the runtime that this library stands in front of, or asks.
struct Function {
  enum class Of : std::uint8_t {
    caller, ///< the one that the loader would have given to the caller
    regions ///< the one of the runtime in which the caller's regions are; none if the caller has two
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

/// In which objects to look, in which order: those that have been there from the beginning, then those that
/// the caller was linked with, then all. A caller that has been there from the beginning needs the first
/// ones only, if there is a runtime among them.
class SearchOrder {
public:
  static constexpr std::size_t k_most_providers = 6;

  /// For code in `caller`; no object: for code that the process has made itself.
  explicit SearchOrder(const LoadedObject& caller) noexcept;

  /// nullptr: the runtime does not have it, or there is none.
  void* find(const Function& function) const noexcept;

  /// The caller is a runtime: it gets its own functions back.
  bool is_runtimes_own() const noexcept { return own_.exists(); }
  bool regions_are_llvms() const noexcept { return regions_are_llvms_; }
  bool has_runtime() const noexcept { return regions_.exists(); }
  /// Whether another object that was linked with the same libraries may have another order.
  bool is_callers_alone() const noexcept { return is_callers_alone_; }
  /// Whether what it has found stays in the process.
  bool is_permanent() const noexcept { return is_permanent_; }
  bool operator==(const SearchOrder& other) const noexcept;

private:
  ElfObject provider_of(const SymbolName& name) const noexcept;
  void find_later_providers(const LoadedObject& caller) noexcept;
  void find_regions(const LoadedObject& caller) noexcept;

  ElfObject own_;
  std::array<ElfObject, k_most_providers> providers_;
  std::size_t count_ = 0;
  ElfObject regions_; // the runtime of the caller's regions
  bool has_two_regions_ = false;
  bool regions_are_llvms_ = false;
  bool is_callers_alone_ = false;
  bool is_permanent_ = true;
};

/// What has been found in one order. Never freed: a thread may be reading it.
class Scope {
public:
  static constexpr std::uint16_t k_functions = 256;

  explicit Scope(const SearchOrder& search) noexcept : order(search) {}

  /// nullptr: see SearchOrder. Remembers what it finds.
  void* find(Function& function) noexcept;
  /// What is remembered of the function with this number: its address, missing(), or nullptr for nothing.
  void* known(std::uint16_t number) const noexcept {
    return addresses_[number].load(std::memory_order_relaxed); // leads to code, which the loader has mapped
  }
  static void* missing() noexcept { return reinterpret_cast<void*>(std::uintptr_t{1}); }
  /// Whether all that is remembered is what a search would find now.
  bool is_up_to_date() const noexcept;

  const SearchOrder order;
  Scope* older = nullptr;     ///< in the list of all
  bool is_dead = false;       ///< an object of it has been replaced
  bool is_suspicious = false; ///< an object of it may have been replaced

private:
  std::array<std::atomic<void*>, k_functions> addresses_{};
};

} // namespace wstree::abi
