// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/callers.h"

#include "resolve/binding.h"
#include "resolve/right.h"
#include "resolve/unbound_calls.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <new>
#include <span>
#include <string_view>

namespace wstree::abi {

constinit CallerRange g_first_caller;
constinit std::atomic<const void*> g_first_home{nullptr};
constinit std::atomic<bool> g_is_idle{true};

namespace {

constinit PageEntry g_first_entries[256];
constinit PageTable g_first_table(g_first_entries, std::size(g_first_entries));

/// Memory that is never given back. The first scopes need no system call.
alignas(Scope) constinit unsigned char g_room[4 * sizeof(Scope)] = {};
constinit std::size_t g_used_room = 0;

void* map_pages(std::size_t bytes) noexcept {
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages != MAP_FAILED ? pages : nullptr;
}

/// The right to change the tables. A thread that does not get it soon does without, because the holder may
/// have lost its processor.
constinit Right g_writing;
/// The latest scope of the list. Their runtimes stay mapped: dlclose() keeps them first.
constinit std::atomic<Scope*> g_scopes{nullptr};
/// The scope of code that the process has made itself; nullptr: none is remembered.
constinit std::atomic<Scope*> g_outside{nullptr};
/// The number of times that forget_callers() has begun.
constinit std::atomic<std::uint64_t> g_forgotten{0};

/// acquire: pairs with the release in Writer::scope_of(), so that the scopes are complete.
Scope* latest_scope() noexcept { return g_scopes.load(std::memory_order_acquire); }

/// Takes the pages out of `table` that may go. Any thread.
void forget_pages(const PageTable& table) noexcept {
  // A page whose way to its entry leads past a free one now gets another entry when it calls again.
  for (std::size_t i = 0; i < table.size(); ++i) {
    PageEntry& entry = table.entry(i);
    if (entry.scope.load(std::memory_order_relaxed) == nullptr ||
        entry.is_permanent.load(std::memory_order_relaxed))
      continue;
    entry.scope.store(nullptr, std::memory_order_relaxed); // takes something away only
    entry.page.store(0, std::memory_order_relaxed);        // as above
  }
}

class Writer {
public:
  Writer() noexcept : Writer(g_writing.take()) {}
  explicit Writer(bool has) noexcept : has_(has) {}
  ~Writer() {
    if (has_) g_writing.give_back();
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  explicit operator bool() const noexcept { return has_; }

  /// Returns the scope of this order: one that is known, or a new one. nullptr: no memory.
  Scope* scope_of(const SearchOrder& order) const noexcept {
    for (Scope* scope = latest_scope(); scope != nullptr; scope = scope->older)
      if (!scope->is_dead.load(std::memory_order_relaxed) && scope->order == order) return scope;
    void* const memory = room_for_scope();
    if (memory == nullptr) return nullptr;
    auto* made = ::new (memory) Scope(order);
    made->older = latest_scope();
    g_scopes.store(made, std::memory_order_release); // see latest_scope()
    return made;
  }

  void remember_page(std::uint64_t page, Scope* scope, bool is_permanent) const noexcept {
    PageTable* table = g_pages.load(std::memory_order_relaxed); // this thread's, for now
    if (table->used >= table->size() / 2) table = renew(*table);
    if (table != nullptr) put(*table, page, scope, is_permanent);
  }

private:
  static void* room_for_scope() noexcept {
    if (g_used_room == sizeof g_room) return map_pages(sizeof(Scope));
    void* const room = g_room + g_used_room;
    g_used_room += sizeof(Scope);
    return room;
  }

  static void put(PageTable& table, std::uint64_t page, Scope* scope, bool is_permanent) noexcept {
    std::size_t index = table.home_of(page);
    for (; table.entry(index).page.load(std::memory_order_relaxed) != 0; ++index)
      if (scope_in(table.entry(index), page) != nullptr) return;
    PageEntry& entry = table.entry(index);
    ++table.used;
    entry.is_permanent.store(is_permanent, std::memory_order_relaxed);
    entry.page.store(page, std::memory_order_relaxed);
    // release: a thread that sees the scope sees it complete, and sees this page (scope_in()).
    entry.scope.store(scope, std::memory_order_release);
  }

  /// Returns a table with the same content, in which at most an eighth is used. nullptr: no memory. The old
  /// one stays: threads may be reading it.
  static PageTable* renew(PageTable& old) noexcept {
    std::size_t used = 0;
    for (std::size_t i = 0; i < old.size(); ++i)
      if (old.entry(i).page.load(std::memory_order_relaxed) != 0) ++used;
    old.used = used;
    if (used < old.size() / 4) return &old; // most of it was forgotten
    const std::uint64_t forgotten = g_forgotten.load(std::memory_order_seq_cst);
    const std::size_t size = old.size() * 4;
    void* const memory = map_pages(sizeof(PageTable) + sizeof(PageEntry) * size);
    if (memory == nullptr) return nullptr;
    auto* entries = reinterpret_cast<PageEntry*>(static_cast<unsigned char*>(memory) + sizeof(PageTable));
    auto* table = ::new (memory) PageTable(entries, size);
    for (std::size_t i = 0; i < old.size(); ++i) {
      const PageEntry& each = old.entry(i);
      const std::uint64_t page = each.page.load(std::memory_order_relaxed);
      if (Scope* const scope = page != 0 ? scope_in(each, page) : nullptr)
        put(*table, page, scope, each.is_permanent.load(std::memory_order_relaxed));
    }
    // release: pairs with the acquire of the readers, so that the table is complete. seq_cst, with the loads
    // of g_forgotten: either this thread sees that another one forgets, or that one sees the new table.
    g_pages.store(table, std::memory_order_seq_cst);
    if (g_forgotten.load(std::memory_order_seq_cst) != forgotten) forget_pages(*table);
    return table;
  }

  bool has_;
};
static_assert(sizeof(PageTable) % alignof(PageEntry) == 0);

/// Returns the scope that is remembered for the page of `caller`, at any place in the table.
Scope* remembered_scope(const void* caller) noexcept {
  const PageTable& table = *g_pages.load(std::memory_order_acquire); // as in scope_at_home()
  const std::uint64_t page = PageTable::page_of(caller);
  for (std::size_t index = table.home_of(page);; ++index) {
    const PageEntry& entry = table.entry(index);
    if (Scope* const scope = scope_in(entry, page)) return scope;
    if (entry.page.load(std::memory_order_relaxed) == 0) return nullptr; // there is always such an entry
  }
}

void remember_first(const LoadedObject& caller, const SearchOrder& order) noexcept {
  if (g_first_caller.size.load(std::memory_order_relaxed) != 0) return;
  g_first_home.store(order.home(), std::memory_order_relaxed);
  g_first_caller.begin.store(caller.extent.begin, std::memory_order_relaxed);
  // release: a thread that sees the size sees the beginning.
  g_first_caller.size.store(caller.extent.size, std::memory_order_release);
}

/// An object that was linked with this library, and calls nothing that it lacks, has no runtime: the linker
/// has left libgomp out, because all that the object calls was defined. No team exists then. Returns whether
/// libgomp has been opened.
bool open_libgomp(const LoadedObject& caller, const char* name) noexcept {
  const std::string_view text(name);
  if (!text.starts_with("GOMP_") && !text.starts_with("omp_")) return false;
  return caller && caller.tables.needs("libwstree.so") && calls(caller.tables, "GOMP_") &&
         dlopen("libgomp.so.1", RTLD_LAZY | RTLD_GLOBAL) != nullptr;
}

bool has_initial_runtime() noexcept {
  return any_initial([](const ElfObject& object, bool) { return is_runtime(object); });
}

/// Finds the runtimes that the code of `object` sees besides the initial ones, in the order of the loader.
/// Returns how many of `room` there are.
std::size_t find_seen_runtimes(const LoadedObject& object, std::span<LoadedObject> room) noexcept {
  std::size_t found = 0;
  const auto add = [&](const link_map& map) {
    const ElfObject each(map);
    const auto end = room.begin() + static_cast<std::ptrdiff_t>(found);
    if (&map != own_map() && is_runtime(each) && !is_initial(each) &&
        std::none_of(room.begin(), end, [&](const LoadedObject& known) { return known.tables == each; }))
      room[found++] = object_around(map.l_ld);
    return found == room.size();
  };
  if (!any_searched(object, add)) found = find_runtimes_of(object, room);
  return found;
}

/// Remembers the scope of `order` for the page of `caller` in `object`, unless another thread is about to
/// remember something. Returns the scope, or nullptr.
Scope* remember(const void* caller, const LoadedObject& object, const SearchOrder& order) noexcept {
  const Writer writer;
  if (!writer) return nullptr;
  Scope* const scope = writer.scope_of(order);
  if (scope == nullptr) return nullptr;
  if (!object) {
    // release: pairs with the acquire in with_order_of(), so that the scope is complete.
    g_outside.store(scope, std::memory_order_release);
    return scope;
  }
  const bool is_permanent = is_initial(object.tables);
  if (is_permanent && !order.is_runtimes_own()) remember_first(object, order);
  writer.remember_page(PageTable::page_of(caller), scope, is_permanent);
  return scope;
}

/// use(scope, order), or use(order, order) where nothing can be remembered.
template <class Use> auto with_order_of(const void* caller, Use&& use) noexcept {
  if (Scope* const scope = remembered_scope(caller)) return use(*scope, scope->order);
  const LoadedObject object = object_around(caller);
  if (!object)
    if (Scope* const scope = g_outside.load(std::memory_order_acquire)) // see remember()
      return use(*scope, scope->order);
  const SearchOrder order = order_for(object);
  // Without a runtime there is nothing to remember: it may come later.
  Scope* const scope = order.has_runtime() ? remember(caller, object, order) : nullptr;
  return scope != nullptr ? use(*scope, scope->order) : use(order, order);
}

} // namespace

constinit std::atomic<PageTable*> g_pages{&g_first_table};

bool unknown_caller_is_runtime(const void* caller) noexcept {
  return with_order_of(caller, [](auto&, const SearchOrder& order) { return order.is_runtimes_own(); });
}
bool regions_are_llvms(const void* caller) noexcept {
  return with_order_of(caller, [](auto&, const SearchOrder& order) { return order.regions_are_llvms(); });
}

namespace {

/// Returns the order of an object that was opened later, or in a process without an initial runtime. A
/// function of its own, because it needs more of the stack, which may be that of a fiber.
[[gnu::noinline]] SearchOrder order_of_seen(const LoadedObject& caller) noexcept {
  std::array<LoadedObject, SearchOrder::k_most_runtimes> found;
  std::size_t count = find_seen_runtimes(caller ? caller : program(), found);
  // Objects that were opened for all callers since then do not change where the references lead.
  if (const LoadedObject bound = caller ? bound_runtime(caller) : LoadedObject(); bound && count > 0) {
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(count);
    const auto at = std::find_if(found.begin(), end,
                                 [&](const LoadedObject& each) { return each.tables == bound.tables; });
    std::rotate(found.begin(), at, at != end ? at + 1 : end);
  }
  if (count == 0 && !has_initial_runtime() && (found[0] = first_runtime())) count = 1;
  return {caller, {found.data(), count}};
}

} // namespace

SearchOrder order_for(const LoadedObject& caller) noexcept {
  if (has_initial_runtime() && (!caller || is_initial(caller.tables))) return {caller, {}};
  return is_runtime(caller.tables) ? SearchOrder(caller, {}) : order_of_seen(caller);
}

const void* code_that_calls(Function& function, const void* caller) noexcept {
  const int saved_errno = errno;
  const void* const code =
      find_for_unbound(Wanted::code, function, nullptr, caller,
                       [](Function&, const LoadedObject& object, const void* returns) noexcept -> void* {
                         const void* const found =
                             object && !object.extent.holds(returns) ? object.tables.dynamic() : returns;
                         return const_cast<void*>(found);
                       });
  errno = saved_errno;
  return code;
}

namespace {

void* find_when_idle(Function& function, const LoadedObject& object, const void* caller) noexcept {
  const auto find = [&] {
    if (!object)
      return with_order_of(caller, [&](auto& where, const SearchOrder&) { return where.find(function); });
    const SearchOrder order = order_for(object);
    note_order(order);
    return order.find(function);
  };
  void* const found = find();
  return found == nullptr && !function.is_optional && open_libgomp(object, function.name) ? find() : found;
}

} // namespace

void* look_up_when_idle(Function& function, const void* code, const void* caller) noexcept {
  const int saved_errno = errno;
  void* const found = find_for_unbound(Wanted::target, function, code, caller, find_when_idle);
  errno = saved_errno;
  return found;
}

const void* unknown_code_about(const void* code, const void* caller) noexcept {
  const Scope* const scope = scope_at_home(caller);
  if (scope != nullptr && scope == scope_at_home(code)) return caller;
  const LoadedObject object = object_around(code);
  return !object || object.tables == object_around(caller).tables ? caller : code;
}

void* look_up(Function& function, const void* caller) noexcept {
  if (is_idle()) return look_up_when_idle(function, nullptr, caller);
  const int saved_errno = errno;
  const auto find = [&](auto& where, const SearchOrder&) { return where.find(function); };
  void* found = with_order_of(caller, find);
  if (found == nullptr && !function.is_optional && open_libgomp(object_around(caller), function.name))
    found = with_order_of(caller, find);
  if (found != nullptr && g_first_caller.holds(caller))
    function.of_first_caller.store(found, std::memory_order_relaxed); // leads to code only
  errno = saved_errno;
  return found;
}

bool note_order(const SearchOrder& order) noexcept {
  if (!order.has_runtime()) return true;
  const Writer writer(g_writing.take_soon()); // an object that is left out is not looked up again
  return writer && writer.scope_of(order) != nullptr;
}

bool has_callers() noexcept { return latest_scope() != nullptr; }

void forget_callers() noexcept {
  g_forgotten.fetch_add(1, std::memory_order_seq_cst); // see Writer::renew()
  forget_pages(*g_pages.load(std::memory_order_seq_cst));
  g_outside.store(nullptr, std::memory_order_relaxed); // takes something away only
}

void keep_callers(Keep* keep) noexcept {
  const PageTable& table = *g_pages.load(std::memory_order_acquire); // as in scope_at_home()
  for (std::size_t i = 0; i < table.size(); ++i) {
    PageEntry& entry = table.entry(i);
    if (entry.scope.load(std::memory_order_relaxed) == nullptr ||
        entry.is_permanent.load(std::memory_order_relaxed))
      continue;
    const std::uint64_t page = entry.page.load(std::memory_order_relaxed);
    const LoadedObject object = object_around(reinterpret_cast<const void*>(page << PageTable::k_page_bits));
    if (!object) continue; // closed in another way
    keep(object.path);
    entry.is_permanent.store(true, std::memory_order_relaxed); // the worst is that it is kept again
  }
}

void keep_runtimes(Keep* keep) noexcept {
  for (Scope* scope = latest_scope(); scope != nullptr; scope = scope->older) {
    if (scope->is_kept.load(std::memory_order_relaxed) || scope->is_dead.load(std::memory_order_relaxed))
      continue;
    for (const LoadedObject& each : scope->order.runtimes())
      if (is_there(each)) keep(each.path);
    scope->is_kept.store(true, std::memory_order_relaxed);
  }
}

void forget_runtimes() noexcept {
  for (Scope* scope = latest_scope(); scope != nullptr; scope = scope->older) {
    if (scope->is_kept.load(std::memory_order_relaxed)) continue;
    for (const LoadedObject& each : scope->order.runtimes())
      if (!is_there(each)) scope->is_dead.store(true, std::memory_order_relaxed);
  }
}

} // namespace wstree::abi
