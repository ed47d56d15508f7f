// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The objects that the loader has mapped, found without the lock that dlopen() holds while it runs the
// constructors of new objects: such a constructor may wait for the very thread that calls us.
#pragma once

#include "resolve/elf_object.h"

#include <link.h>

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace wstree::abi {

/// Returns whether the C library is glibc. With another one the library does nothing, and hands calls of
/// wrapped functions on.
bool is_glibc() noexcept;

/// Every OpenMP runtime defines this function. Tools that wrap single functions and this library do not.
inline constexpr SymbolName k_runtime_function{"omp_get_level"};
inline bool is_runtime(const ElfObject& object) noexcept { return object.defines(k_runtime_function); }

/// An object, and where it is.
struct LoadedObject {
  ElfObject tables; ///< does not exist if no object is meant
  Extent extent;
  const char* path = "";            ///< as in the loader's record; "" is the program
  const link_map* record = nullptr; ///< the loader's; nullptr: not known

  explicit operator bool() const noexcept { return tables.exists(); }
};

/// Remembers which objects are in the process from the beginning. Called by the library's constructor.
void remember_initial_objects() noexcept;

/// Returns the object around `address`; none for code that the process has made itself. The object must not
/// be unloaded meanwhile: its code is calling us. Takes no lock where the C library has _dl_find_object()
/// (glibc 2.35), else the lock of dl_iterate_phdr().
LoadedObject object_around(const void* address) noexcept;

/// Returns the size of a page of memory; 0: not known.
Address page_size() noexcept;

/// Returns the segments of `object`, of which the first begins with the table of them; empty: it does not.
std::span<const ElfW(Phdr)> segments_of(const LoadedObject& object) noexcept;

/// Returns whether `object` is still where it was found. Reads nothing of it; takes locks as
/// object_around() does.
bool is_there(const LoadedObject& object) noexcept;

/// Returns whether `object` has been there from the beginning. Such objects are never unloaded.
bool is_initial(const ElfObject& object) noexcept;

/// Calls visit(object, is_behind_us) for each object that has been there from the beginning, this library
/// left out, in the order in which the loader searches them for every caller, until one returns true.
/// Nothing if this library was opened later.
template <class Visit> bool any_initial(Visit&& visit) noexcept;

/// Calls visit(object) for each object in which the loader looks for the functions that `object` calls, in
/// its order, this library among them, until one returns true. Returns nullopt if that order cannot be read.
/// Takes no lock.
template <class Visit> std::optional<bool> any_searched(const LoadedObject& object, Visit&& visit) noexcept;
/// Returns the program, in whose order the loader looks for code that has no object.
LoadedObject program() noexcept;

/// Returns the object that `caller` sees under the name of a library that it was linked with; none if there
/// is none. Takes the lock of dl_iterate_phdr(), which the loader holds while it changes its list, and a
/// program while it walks along it.
LoadedObject needed_object(std::string_view name) noexcept;

/// Finds the runtimes among the libraries that `caller` was linked with, and those that these were linked
/// with, in the order of the loader, which is breadth first. Returns how many are in `room`. Takes the lock
/// of dl_iterate_phdr().
std::size_t find_runtimes_of(const LoadedObject& caller, std::span<LoadedObject> room) noexcept;

/// Returns the first runtime in the process; none if there is none. Takes the lock of dl_iterate_phdr().
LoadedObject first_runtime() noexcept;

/// Returns the number of objects that the loader has opened so far; 0: this thread is counting already. Takes
/// no lock where check_count() has found the loader's counter, else the lock of dl_iterate_phdr().
unsigned long long opened_objects() noexcept;
/// Called while the loader cannot open objects, of which it has opened `opened`: looks for the loader's
/// counter the first time, and gives up a counter that differs.
void check_count(unsigned long long opened) noexcept;
/// In the child of a fork: remembers that a thread of the parent may have had the lock of dl_iterate_phdr(),
/// which stays locked in the child then. Takes no lock.
void note_fork() noexcept;
/// Returns whether that lock may be locked for good: an object that this process opens itself shows that it
/// is free.
bool walk_may_never_end() noexcept;

using VisitObject = int(dl_phdr_info* info, std::size_t size, void* data) noexcept;
/// dl_iterate_phdr(), but not below a handler of a signal that has interrupted this thread in here: the
/// thread would wait for itself. Returns the result of that function; 1 if it was not called.
int walk(VisitObject* visit, void* data) noexcept;

/// Returns this library in the loader's list; nullptr before remember_initial_objects().
const link_map* own_map() noexcept;
/// Returns the first and the last object of the list that have been there from the beginning; the last one is
/// nullptr if this library was opened later.
const link_map* first_initial() noexcept;
const link_map* last_initial() noexcept;

/// A list of objects that the loader searches. Each object has a list of such lists: the program's, and those
/// of the objects that were opened with it.
struct SearchedList {
  const link_map* const* objects;
  unsigned count;
};
/// Returns the pointer in the loader's record of `object` to its search lists, behind the last of which
/// stands a null pointer; nullptr: not known.
const SearchedList* const* const* searched_lists(const LoadedObject& object) noexcept;

/// Returns the entry of an array that the loader replaces by a longer copy before it frees it. `array` is the
/// loader's pointer to it. The entry is right if the pointer is still the same afterwards.
template <class T> T entry_of(T* const& array, std::size_t index) noexcept {
  std::atomic_ref<T*> pointer(const_cast<T*&>(array));
  for (;;) {
    // acquire: pairs with the barrier behind which the loader counts the objects of a longer array. No test
    // fails without on x86-64.
    T* const before = pointer.load(std::memory_order_acquire);
    T const entry = before[index];
    // acquire: orders the entry before the second load. process.Plugins.CallWhileTheListsOfObjectsGrow would
    // fail in rare runs only.
    std::atomic_thread_fence(std::memory_order_acquire);
    if (pointer.load(std::memory_order_relaxed) == before) return entry;
  }
}

template <class Visit> std::optional<bool> any_searched(const LoadedObject& object, Visit&& visit) noexcept {
  const SearchedList* const* const* const lists = searched_lists(object);
  if (lists == nullptr) return std::nullopt;
  for (std::size_t k = 0;; ++k) {
    const SearchedList* const list = entry_of(*lists, k);
    if (list == nullptr) return false;
    std::atomic_ref<unsigned> count(const_cast<unsigned&>(list->count));
    for (unsigned i = 0; i < count.load(std::memory_order_acquire); ++i) // acquire: see entry_of()
      if (visit(*entry_of(list->objects, i))) return true;
  }
}

template <class Visit> bool any_initial(Visit&& visit) noexcept {
  const link_map* const last = last_initial();
  if (last == nullptr) return false;
  bool is_behind_us = false;
  for (const link_map* map = first_initial();; map = map->l_next) {
    if (map == own_map())
      is_behind_us = true;
    else if (visit(ElfObject(*map), is_behind_us))
      return true;
    if (map == last) return false;
  }
}

} // namespace wstree::abi
