// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The callers of this library, and the scopes in which they find their runtimes: a table of pages, which any
// thread reads and fills without waiting.
//
// Thousands of modules with the same runtime share one scope, and so does all code that the process makes
// itself, of which no page is remembered. The entries of an object's pages hold until dlclose().
#pragma once

#include "resolve/scope.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace wstree::abi {

/// The addresses of an object.
struct CallerRange {
  // relaxed: the object never goes, and with `begin` still zero the range holds no address outside of it.
  std::atomic<Address> begin{0};
  std::atomic<Address> size{0}; // written last
  bool holds(const void* caller) const noexcept {
    return reinterpret_cast<Address>(caller) - begin.load(std::memory_order_relaxed) <
           size.load(std::memory_order_relaxed);
  }
};
/// The object that called first, if it has been there from the beginning and is no runtime. Most processes
/// have no other.
extern CallerRange g_first_caller;
/// Its runtime: see g_homes. relaxed: an address is the whole message.
extern std::atomic<const void*> g_first_home;
/// True if no schedule of ours is asked for. relaxed everywhere: a thread that learns of it late goes to the
/// runtime, as it did before. The assembler code reads it, too.
extern std::atomic<bool> g_is_idle __asm__("wstree_is_idle");
inline bool is_idle() noexcept { return g_is_idle.load(std::memory_order_relaxed); }
inline void end_idleness() noexcept { g_is_idle.store(false, std::memory_order_relaxed); }

/// A page of code.
struct PageEntry {
  std::atomic<std::uint64_t> page{0}; // its number; 0: the entry is free
  std::atomic<Scope*> scope{nullptr};
  std::atomic<bool> is_permanent{false};
};

class PageTable {
public:
  static constexpr unsigned k_page_bits = 12; // bits of the smallest pages; no two objects share a page

  static std::uint64_t page_of(const void* code) noexcept {
    return reinterpret_cast<Address>(code) >> k_page_bits;
  }
  /// `size`: a power of two, at most 2^32
  constexpr PageTable(PageEntry* entries, std::size_t size) noexcept : entries_(entries), mask_(size - 1) {}

  std::size_t size() const noexcept { return mask_ + 1; }
  PageEntry& entry(std::size_t index) const noexcept { return entries_[index & mask_]; }
  static std::size_t home_of(std::uint64_t page) noexcept {
    constexpr std::uint64_t k_odd = 0x9e3779b97f4a7c15;
    return static_cast<std::size_t>(page * k_odd >> 32);
  }

  std::size_t used = 0; ///< entries at most; only for the thread that fills the table

private:
  PageEntry* entries_;
  std::size_t mask_;
};
extern std::atomic<PageTable*> g_pages;

/// Returns the scope that `entry` has for `page`; nullptr: none.
inline Scope* scope_in(const PageEntry& entry, std::uint64_t page) noexcept {
  if (entry.page.load(std::memory_order_relaxed) != page) return nullptr;
  // acquire: pairs with the release in Writer::put(), so that the scope is complete; and the number that is
  // read again is not older than the scope: the entry may have become another page's meanwhile.
  // Guard: unit.Callers.PagesTakeTheEntriesOfForgottenOnes.
  Scope* const scope = entry.scope.load(std::memory_order_acquire);
  return entry.page.load(std::memory_order_relaxed) == page ? scope : nullptr;
}

/// Returns the scope of the code at `caller`, if it is remembered in the first entry that it may be in.
inline Scope* scope_at_home(const void* caller) noexcept {
  // acquire: pairs with the release in Writer::grow(), so that the table is complete.
  const PageTable& table = *g_pages.load(std::memory_order_acquire);
  const std::uint64_t page = PageTable::page_of(caller);
  return scope_in(table.entry(table.home_of(page)), page);
}

/// `function` for the code at `caller` if that is in a runtime, which gets its own function back, and it is
/// remembered; else nullptr. It makes no call, so that an entry point that begins with it needs no frame.
[[gnu::always_inline]] inline void* find_known_to_runtime(const Function& function,
                                                          const void* caller) noexcept {
  if (g_first_caller.holds(caller)) [[likely]]
    return nullptr;
  const Scope* const scope = scope_at_home(caller);
  if (scope == nullptr || !scope->order.is_runtimes_own()) return nullptr;
  void* const found = scope->known(function.number.load(std::memory_order_relaxed)); // see number_of()
  return found != Scope::missing() ? found : nullptr;
}

/// Looks `function` up for the code at `caller`, and remembers the result if that is possible at once.
/// nullptr: the runtime does not have it, or there is none.
void* look_up(Function& function, const void* caller) noexcept;
/// Looks `function` up while no schedule of ours is asked for; binds the caller's references past us.
/// `code`: an address in the object that the call is about; nullptr: none is passed.
void* look_up_when_idle(Function& function, const void* code, const void* caller) noexcept;
/// Returns the code that calls `function` and would return to `caller`: perhaps a compiler has made a jump of
/// the call. Binds the references of the object that calls.
const void* code_that_calls(Function& function, const void* caller) noexcept;
/// Keeps the runtimes of `order`, in which references are about to be bound, until dlclose() has read them.
/// Returns whether that could be done at once.
bool note_order(const SearchOrder& order) noexcept;
/// Returns the order for code of `caller`; no object: code that the process has made itself.
SearchOrder order_for(const LoadedObject& caller) noexcept;

/// Returns the code to which a call is attributed that is about `code`: `caller`, if that has the same
/// runtime as the object around `code`, else `code`. A compiler may have made a jump of the call.
const void* unknown_code_about(const void* code, const void* caller) noexcept;
inline const void* code_about(const void* code, const void* caller) noexcept {
  if (g_first_caller.holds(caller) && g_first_caller.holds(code)) [[likely]]
    return caller;
  return unknown_code_about(code, caller);
}

/// Looks `function` up for the code at `caller`, at first in the tables.
inline void* find_for(Function& function, const void* caller) noexcept {
  if (g_first_caller.holds(caller)) [[likely]]
    if (void* const found = function.of_first_caller.load(std::memory_order_relaxed)) [[likely]]
      return found; // relaxed: it leads to code, which the loader has mapped
  if (const Scope* const scope = scope_at_home(caller))
    // relaxed: see number_of() in scope.cpp
    if (void* const found = scope->known(function.number.load(std::memory_order_relaxed))) [[likely]]
      return found != Scope::missing() ? found : nullptr;
  return look_up(function, caller);
}

/// Returns whether the code at `caller` is that of a runtime, which gets its own functions back.
bool unknown_caller_is_runtime(const void* caller) noexcept;
inline bool caller_is_runtime(const void* caller) noexcept {
  if (g_first_caller.holds(caller)) return false;
  const Scope* const scope = scope_at_home(caller);
  return scope != nullptr ? scope->order.is_runtimes_own() : unknown_caller_is_runtime(caller);
}
/// Returns whether the regions of the code at `caller` are in a runtime of LLVM's.
bool regions_are_llvms(const void* caller) noexcept;

/// Returns whether any code has called yet.
bool has_callers() noexcept;
/// Before and after an object is closed: forgets the callers that may go. A destructor may call in between.
void forget_callers() noexcept;
using Keep = void(const char* path) noexcept;
/// Before an object is closed: calls keep(path) for each object that has called and may go. Later calls of
/// forget_callers() leave its pages alone.
void keep_callers(Keep* keep) noexcept;
/// Calls keep(path) for the runtimes of all callers: functions that were found in them are part of
/// their code.
void keep_runtimes(Keep* keep) noexcept;
/// After an object is closed: forgets the runtimes that have gone all the same, because only a destructor of
/// the object has called them.
void forget_runtimes() noexcept;

} // namespace wstree::abi
