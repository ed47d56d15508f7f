// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/binding.h"

#include "resolve/callers.h"
#include "resolve/elf_object.h"
#include "resolve/libc.h"
#include "resolve/loaded_objects.h"
#include "resolve/slots.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wstree::abi {
namespace {

/// Not the function that a sanitizer or another preloaded library puts in front: it is not ready when the
/// loader runs our constructor.
constinit LibcFunction<int(int (*)(dl_phdr_info*, std::size_t, void*), void*)> g_for_each_object{
    "dl_iterate_phdr"};

void find_walk() noexcept {
  Definition* const wanted[] = {&g_for_each_object};
  find_unwrapped(wanted);
}

bool is_ours(const dl_phdr_info& info) noexcept { return extent_of(info).holds(&k_own_address); }

int find_ourselves(dl_phdr_info* info, std::size_t, void* data) noexcept {
  if (!is_ours(*info)) return 0;
  *static_cast<ElfObject*>(data) = ElfObject(*info);
  return 1;
}

constexpr SymbolName k_start_tool("ompt_start_tool");

/// A reference to one of the functions of OpenMP that we export.
struct Reference {
  SymbolName name;
  Versions versions;
  bool is_weak;
  bool is_bound; ///< the loader binds some calls when they are made first
  Address slot;
  void* value;
  void* ours;
};

/// Returns the address to which `reference` leads now. relaxed: it leads to code only.
void* value_of(const Reference& reference) noexcept {
  return std::atomic_ref<void*>(*reinterpret_cast<void**>(reference.slot)).load(std::memory_order_relaxed);
}

/// Calls visit(reference) for each of them.
template <class Visit> void for_each_reference(const LoadedObject& object, Visit&& visit) noexcept {
  const ElfObject ours(*own_map());
  const bool is_a_runtime = is_runtime(object.tables);
  for (const ElfObject::Relocations& table : object.tables.relocations())
    for (const ElfW(Rela) & entry : table) {
      const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info));
      if (type != k_jump_slot && type != k_global_data && (type != k_absolute || entry.r_addend != 0))
        continue;
      const std::string_view text = object.tables.name_of_symbol(entry);
      if (!group_of(text) && (text != k_start_tool.text || is_a_runtime)) continue; // see rebind_tool_start()
      const SymbolName name(text);
      void* const function = ours.find(name);
      if (function == nullptr) continue;
      const Address slot = object.tables.base() + entry.r_offset;
      void* const value = *reinterpret_cast<void**>(slot);
      visit(Reference{name, object.tables.versions_of(entry), object.tables.is_weak(entry),
                      type != k_jump_slot || !object.extent.holds(value) || object.tables.defines(name), slot,
                      value, function});
    }
}

/// Returns whether the loader binds such a reference of `object` to this library.
bool leads_to_us(const LoadedObject& object, const Reference& reference) noexcept {
  bool found = false;
  any_searched(object, [&](const link_map& map) {
    if (&map == own_map()) return found = true;
    return ElfObject(map).defines(reference.name, reference.versions);
  });
  return found;
}

/// Returns whether a runtime comes before us, and has the function.
bool is_shadowed(const Reference& reference) noexcept {
  bool by_runtime = false;
  any_initial([&](const ElfObject& object, bool is_behind_us) {
    if (!is_behind_us && !object.defines(reference.name, reference.versions)) return false;
    by_runtime = !is_behind_us && is_runtime(object);
    return true;
  });
  return by_runtime;
}

/// The entries that callers of one runtime have, and those runtimes: an address in each. relaxed, both: the
/// constructor sets the first one, and an address is the whole message.
constinit std::atomic<const Doors*> g_doors{nullptr};

/// Returns the number of the door for callers of the runtime around `function`; 0: none is free.
unsigned door_to(const void* function) noexcept {
  const LoadedObject runtime = object_around(function);
  if (!is_runtime(runtime.tables)) return 0;
  const void* const home = runtime.tables.dynamic();
  for (unsigned door = 1; door <= k_doors; ++door) {
    const void* known = nullptr;
    if (g_homes[door].compare_exchange_strong(known, home, std::memory_order_relaxed) || known == home)
      return door;
  }
  return 0;
}

/// Returns the runtime that `reference` was bound to before, past this library or by a door. The loader binds
/// a reference once, and opens objects later that come first in its order.
LoadedObject bound_before(const Reference& reference) noexcept {
  const Doors* const doors = g_doors.load(std::memory_order_relaxed);
  if (!reference.is_bound || reference.value == nullptr || doors == nullptr) return {};
  const void* home = reference.value;
  if (is_own_code(home)) {
    const Doors::Entries* const entries = doors->of(reference.name.text);
    if (entries == nullptr) return {};
    const auto* const entry = std::find(entries->begin(), entries->end(), reference.value);
    if (entry == entries->end()) return {};
    home = g_homes[static_cast<std::size_t>(entry - entries->begin()) + 1].load(std::memory_order_relaxed);
  }
  const LoadedObject runtime = home != nullptr ? object_around(home) : LoadedObject();
  return runtime && is_runtime(runtime.tables) ? runtime : LoadedObject();
}

/// The targets of an object's references, found when the first one is met: most objects have none.
class Binding {
public:
  explicit Binding(const LoadedObject& object) noexcept
      : object_(object), is_initial_(is_initial(object.tables)), is_a_runtime_(is_runtime(object.tables)) {}

  /// Returns the function that the loader has bound `reference` to, or would bind it to without this library.
  /// It has bound initial objects in the order that holds for good.
  void* provider_of(const Reference& reference) noexcept {
    if (!is_initial_)
      if (void* const found = bound_before(reference).tables.find(reference.name)) return found;
    if (!order_) {
      order_.emplace(order_for(object_));
      is_noted_ = is_initial_ || note_order(*order_);
    }
    return order_->find(reference.name);
  }
  /// Returns the target of the reference, for which `provider` is the runtime's function. A runtime gets its
  /// own functions.
  void* target_of(const Reference& reference, void* provider) const noexcept {
    const Doors* const doors = g_doors.load(std::memory_order_relaxed);
    if (is_a_runtime_ || doors == nullptr || doors->pass(reference.name.text)) return provider;
    const Doors::Entries* const entries = doors->of(reference.name.text);
    const unsigned door = entries != nullptr ? door_to(provider) : 0;
    return door != 0 ? (*entries)[door - 1] : reference.ours;
  }
  void write(const Reference& reference, void* value) noexcept {
    if (value == reference.value || !is_noted_) return;
    if (!slots_) slots_.emplace(object_);
    slots_->write(reference.slot, value);
  }

private:
  const LoadedObject& object_;
  bool is_initial_;
  bool is_a_runtime_;
  bool is_noted_ = true; ///< the runtimes of order_ stay
  std::optional<SearchOrder> order_;
  std::optional<Slots> slots_;
};

} // namespace

constinit std::array<std::atomic<const void*>, k_doors + 1> g_homes{};

bool refers_to(const ElfObject& object, std::string_view name) noexcept {
  for (const ElfObject::Relocations& table : object.relocations())
    for (const ElfW(Rela) & entry : table)
      if (object.name_of_symbol(entry) == name) return true;
  return false;
}

LoadedObject bound_runtime(const LoadedObject& object) noexcept {
  LoadedObject found;
  if (is_initial(object.tables)) return found;
  for_each_reference(object, [&](const Reference& reference) {
    if (!found) found = bound_before(reference);
  });
  return found;
}

/// True if some object calls a function that has doors, and not through one: its references cannot be
/// written, or its runtime has none. relaxed: the thread that sets it is the one that calls so first.
constinit std::atomic<bool> g_any_stays{false};

bool has_doors(std::string_view name) noexcept {
  const Doors* const doors = g_doors.load(std::memory_order_relaxed);
  return doors != nullptr && doors->of(name) != nullptr;
}

Led bind(const LoadedObject& object, std::string_view name) noexcept {
  const bool was_idle = is_idle();
  Binding binding(object);
  Led led;
  for_each_reference(object, [&](const Reference& reference) {
    const bool leads = reference.is_bound && reference.value == reference.ours;
    void* const provider = binding.provider_of(reference);
    if (provider == nullptr) {
      if (leads && reference.is_weak) binding.write(reference, nullptr);
    } else if (leads || is_own_code(reference.value) ||
               ((!reference.is_bound || reference.value == provider) &&
                (leads_to_us(object, reference) || is_shadowed(reference)))) {
      binding.write(reference, binding.target_of(reference, provider));
    } // otherwise the program has put another address there
    if (!leads) return;
    const bool stays = provider != nullptr && value_of(reference) == reference.ours;
    if (stays && has_doors(reference.name.text)) g_any_stays.store(true, std::memory_order_relaxed);
    if (reference.name.text != name) return;
    led.to_us = true;
    led.and_stays = led.and_stays || stays;
  });
  // Pairs with the fence in bind_all(): either this thread sees that the process is no longer idle, or that
  // one sees the references that were bound here. No test fails without; the object would not be served.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (was_idle && !is_idle()) bind(object, {});
  return led;
}

namespace {

LoadedObject object_of(const dl_phdr_info& info) noexcept { return object_around(ElfObject(info).dynamic()); }

/// The number of objects that the loader had opened when bind_new_objects() looked last. relaxed: costs a
/// walk if late.
constinit std::atomic<unsigned long long> g_seen{0};

struct Search {
  std::string_view name;
  LoadedObject found;
};
/// Called once, under the lock of the walk: the list does not change meanwhile. New objects are at its end.
int bind_unless_seen(dl_phdr_info* info, std::size_t, void* data) noexcept {
  auto& search = *static_cast<Search*>(data);
  check_count(info->dlpi_adds);
  std::uint64_t known = 0;
  for (const link_map* map = first_initial(); map != nullptr; map = map->l_next) ++known;
  known -= std::min<std::uint64_t>(known, info->dlpi_adds - g_seen.load(std::memory_order_relaxed));
  bool is_whole = true; // no object was met that the loader has not got ready yet
  for (const link_map* map = first_initial(); map != nullptr; map = map->l_next) {
    if (known != 0) {
      --known;
      continue;
    }
    if (map == own_map()) continue;
    const LoadedObject object = object_around(map->l_ld);
    is_whole = is_whole && object;
    if (object && bind(object, search.name).to_us && !search.found) search.found = object;
  }
  if (is_whole) g_seen.store(info->dlpi_adds, std::memory_order_relaxed);
  return 1;
}
int remember_seen(dl_phdr_info* info, std::size_t, void*) noexcept {
  check_count(info->dlpi_adds);
  g_seen.store(info->dlpi_adds, std::memory_order_relaxed);
  return 1;
}
int bind_each(dl_phdr_info* info, std::size_t, void*) noexcept {
  const LoadedObject object = object_of(*info);
  if (!is_ours(*info) && object) bind(object, {});
  return 0;
}

int find_reference(dl_phdr_info* info, std::size_t, void* data) noexcept {
  auto& search = *static_cast<Search*>(data);
  const ElfObject object(*info);
  if (is_ours(*info) || is_runtime(object) || !refers_to(object, search.name)) return 0;
  search.found = object_of(*info);
  return 1;
}

int bind_initial_object(dl_phdr_info* info, std::size_t, void*) noexcept {
  // Initial objects are searched as the program is.
  const LoadedObject object{ElfObject(*info), extent_of(*info), info->dlpi_name, first_initial()};
  if (!is_ours(*info) && object) bind(object, {});
  return 0;
}

constinit void* g_shadowing_tool = nullptr; // written once, by the thread that loads us

int find_shadowing_tool(dl_phdr_info* info, std::size_t, void* data) noexcept {
  if (is_ours(*info)) return 1;
  const ElfObject object(*info);
  if (is_runtime(object)) return 0; // a runtime has one for want of a better
  void*& found = *static_cast<void**>(data);
  found = object.find(k_start_tool);
  return found != nullptr ? 1 : 0;
}

int rebind_tool_start_of(dl_phdr_info* info, std::size_t, void* data) noexcept {
  const ElfObject object(*info);
  if (is_ours(*info) || !is_runtime(object)) return 0;
  for (const ElfObject::Relocations& table : object.relocations())
    for (const ElfW(Rela) & entry : table)
      if (const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info));
          (type == k_jump_slot || type == k_global_data) && object.name_of_symbol(entry) == k_start_tool.text)
        Slots({object, extent_of(*info)})
            .write(object.base() + entry.r_offset, static_cast<const ElfObject*>(data)->find(k_start_tool));
  return 0;
}

} // namespace

void rebind_tool_start() noexcept {
  find_walk();
  ElfObject ours;
  g_for_each_object(0, find_shadowing_tool, &g_shadowing_tool);
  if (g_for_each_object(0, find_ourselves, &ours) != 0) g_for_each_object(0, rebind_tool_start_of, &ours);
}

void* shadowing_tool() noexcept { return g_shadowing_tool; }

void bind_initial_objects(const Doors& doors) noexcept {
  g_doors.store(&doors, std::memory_order_relaxed);
  if (last_initial() == nullptr) return; // opened later: all are bound without us
  find_walk();
  g_for_each_object(0, bind_initial_object, nullptr);
  g_for_each_object(0, remember_seen, nullptr);
}

void bind_all() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst); // see bind()
  if (g_doors.load(std::memory_order_relaxed) != nullptr) dl_iterate_phdr(bind_each, nullptr);
}

LoadedObject bind_new_objects(std::string_view name) noexcept {
  Search search{name, {}};
  if (opened_objects() != g_seen.load(std::memory_order_relaxed)) walk(bind_unless_seen, &search);
  return search.found;
}

void bind_opened_objects() noexcept {
  const int saved_errno = errno;
  if (g_seen.load(std::memory_order_relaxed) != 0 && !walk_may_never_end()) bind_new_objects({});
  errno = saved_errno;
}

LoadedObject object_that_refers_to(std::string_view name) noexcept {
  Search search{name, {}};
  if (g_any_stays.load(std::memory_order_relaxed)) walk(find_reference, &search);
  return search.found;
}

void close_doors() noexcept {
  for (auto& home : g_homes)
    if (const void* const at = home.load(std::memory_order_relaxed))
      if (object_around(at).tables.dynamic() != at) home.store(&k_own_address, std::memory_order_relaxed);
}

} // namespace wstree::abi
