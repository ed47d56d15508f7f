// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The references of objects to the functions that this library exports: the loader has bound them to this
// library, and they can be bound anew.
//
// While no schedule of ours is asked for, they lead to the functions that the loader would have bound them to
// without this library, which so costs nothing and decides nothing. An object that was opened later calls us
// once: that is the moment to look at it.
#pragma once

#include "resolve/loaded_objects.h"

#include <array>
#include <atomic>
#include <string_view>

namespace wstree::abi {

/// The number of runtimes of a process that have doors.
inline constexpr unsigned k_doors = 4;

/// A compiler makes a jump of a last call, so that the return address does not show the caller. Functions
/// that may be called so, and have no argument that shows it, have doors: entries of their own for the
/// callers of each runtime.
struct Doors {
  using Entries = std::array<void*, k_doors>;

  const Entries* (*of)(std::string_view name) noexcept; ///< nullptr: the function has none
  bool (*pass)(std::string_view name) noexcept;         ///< true: callers go to the runtime for now
};
extern const Doors k_all_doors; // doors.cpp
/// An address in the runtime whose callers come through a door; 0 is no door. relaxed: the loader has mapped
/// the code there.
extern std::array<std::atomic<const void*>, k_doors + 1> g_homes;

/// When the library is loaded, and there is one thread and the C library may not be ready. Binds the
/// references of all objects; those too that the loader has bound to a runtime which comes before us
/// (`-lomp -lwstree`). Weak references without any other definition are null, as without this library.
void bind_initial_objects(const Doors& doors) noexcept;
/// Binds all objects again: the functions that pass have changed. Takes the lock of dl_iterate_phdr().
void bind_all() noexcept;

/// Facts about a reference: it led to our function of its name, and it still does, because it cannot
/// be written.
struct Led {
  bool to_us = false;
  bool and_stays = false;
};
/// Binds the references of `object`. Returns where that of `name` led.
Led bind(const LoadedObject& object, std::string_view name) noexcept;
/// Does the same with all objects that have been opened since the last call. Returns the first one whose
/// reference of `name` led to us. Takes the lock of dl_iterate_phdr().
LoadedObject bind_new_objects(std::string_view name) noexcept;
/// Does that before any of them calls. Nothing before bind_initial_objects(), or where walk_may_never_end().
void bind_opened_objects() noexcept;
/// Returns the first object that has a reference of `name`, and is no runtime, if the references of some
/// object lead to us for good. Takes that lock then.
LoadedObject object_that_refers_to(std::string_view name) noexcept;
bool refers_to(const ElfObject& object, std::string_view name) noexcept;
/// Returns the runtime that references of `object` lead to already.
LoadedObject bound_runtime(const LoadedObject& object) noexcept;
/// Returns whether the function `name` has doors.
bool has_doors(std::string_view name) noexcept;
/// After an object is closed: the doors of runtimes that have gone stay closed.
void close_doors() noexcept;

/// Before the runtimes start: has them call our ompt_start_tool even if an object in front of us has one,
/// such as the program.
void rebind_tool_start() noexcept;
/// The function of that object; nullptr: there is none.
void* shadowing_tool() noexcept;

} // namespace wstree::abi
