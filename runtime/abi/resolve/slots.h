// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the addresses of functions that the loader has put into an object.
#pragma once

#include "resolve/loaded_objects.h"
#include "resolve/right.h"
#include "system_call.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <span>

namespace wstree::abi {

/// The right to make a page of the loader's writable for a moment.
inline constinit Right g_unlocking;

/// The slots in which the loader has put the addresses of an object's functions, and the pages that it made
/// read-only afterwards.
class Slots {
public:
  explicit Slots(const LoadedObject& object) noexcept
      : page_(page_size()), base_(object.tables.base()), segments_(segments_of(object)) {
    for (const ElfW(Phdr) & segment : segments_)
      if (segment.p_type == PT_GNU_RELRO) {
        locked_ = (object.tables.base() + segment.p_vaddr) & ~(page_ - 1);
        end_of_locked_ = (object.tables.base() + segment.p_vaddr + segment.p_memsz) & ~(page_ - 1);
      }
  }

  /// Writes the slot if that can be done; otherwise calls go on as before.
  void write(Address slot, void* value) const noexcept {
    if (!is_writable(slot)) return;
    if (slot < locked_ || slot >= end_of_locked_) return store(slot, value);
    // Another thread that locks the page meanwhile would end the process.
    if (!g_unlocking.take_soon()) return;
    auto* page = reinterpret_cast<void*>(slot & ~(page_ - 1));
    if (config::system_call(SYS_mprotect, page, page_, PROT_READ | PROT_WRITE) == 0) {
      store(slot, value);
      config::system_call(SYS_mprotect, page, page_, PROT_READ);
    }
    g_unlocking.give_back();
  }

private:
  /// Returns whether a slot may be written: not in code with text relocations, which the loader has made
  /// writable for a moment.
  bool is_writable(Address slot) const noexcept {
    return page_ != 0 && std::any_of(segments_.begin(), segments_.end(), [&](const ElfW(Phdr) & segment) {
             return segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0 &&
                    slot - base_ - segment.p_vaddr < segment.p_memsz;
           });
  }
  static void store(Address slot, void* value) noexcept {
    // relaxed: the address leads to code only, and a thread that still reads the old one is right, too.
    std::atomic_ref<void*>(*reinterpret_cast<void**>(slot)).store(value, std::memory_order_relaxed);
  }

  Address page_;
  Address base_;
  std::span<const ElfW(Phdr)> segments_;
  Address locked_ = 0;
  Address end_of_locked_ = 0;
};

} // namespace wstree::abi
