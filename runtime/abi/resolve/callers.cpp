// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resolve/callers.h"

#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <new>
#include <string_view>

namespace wstree::abi {

constinit CallerRange g_first_caller;
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

/// The libraries that an object was linked with, as a number: objects with the same ones, in the same order,
/// have the same search order. 0: the object has to be looked at itself.
std::uint64_t needs_of(const LoadedObject& caller) noexcept {
  if (!caller) return 1;
  if (may_provide(caller.tables)) return 0;
  std::uint64_t number = 0xcbf29ce484222325; // FNV-1a
  const auto add = [&](char c) { number = (number ^ static_cast<unsigned char>(c)) * 0x100000001b3; };
  caller.tables.any_needed([&](std::string_view name) {
    for (const char c : name) add(c);
    add('\0');
    return false;
  });
  return number > 1 ? number : 0;
}

/// Which scope objects with these needs have. Filled from its front, emptied as a whole.
struct KnownNeeds {
  std::atomic<std::uint64_t> needs{0};
  std::atomic<Scope*> scope{nullptr};
};
constinit KnownNeeds g_known_needs[64];

/// The right to change what is remembered. A thread that does not get it at once does without, because the
/// holder may have lost its processor.
constinit std::atomic<pid_t> g_writer{0}; // a process; after a fork, that of a thread which is no more
constinit Scope* g_scopes = nullptr;      // the latest; only for the writer
/// Whether something is remembered that dlclose() may make untrue. Set with relaxed order: the thread that
/// does is in code of the object, and the object is closed after that.
constinit std::atomic<bool> g_may_forget{false};

class Writer {
public:
  Writer() noexcept {
    const pid_t self = getpid();
    pid_t holder = 0;
    // acquire: pairs with the release of the writer before, so that its changes are complete. Guard:
    // unit.Callers.ThreadsAgree under the thread sanitizer.
    has_ = g_writer.compare_exchange_strong(holder, self, std::memory_order_acquire,
                                            std::memory_order_relaxed) ||
           (holder != self && g_writer.compare_exchange_strong(holder, self, std::memory_order_acquire,
                                                               std::memory_order_relaxed));
  }
  ~Writer() {
    if (has_) g_writer.store(0, std::memory_order_release);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  explicit operator bool() const noexcept { return has_; }

  /// The scope of this order: one that is known, or a new one. nullptr: no memory.
  Scope* scope_of(const SearchOrder& order) const noexcept {
    for (Scope* scope = g_scopes; scope != nullptr; scope = scope->older) {
      if (scope->is_dead || !(scope->order == order)) continue;
      scope->is_dead = scope->is_suspicious && !scope->is_up_to_date();
      scope->is_suspicious = false;
      if (!scope->is_dead) return scope;
    }
    void* const memory = room_for_scope();
    if (memory == nullptr) return nullptr;
    auto* made = ::new (memory) Scope(order);
    made->older = g_scopes;
    return g_scopes = made;
  }

  void remember_needs(std::uint64_t needs, Scope* scope) const noexcept {
    for (KnownNeeds& known : g_known_needs) {
      if (known.scope.load(std::memory_order_relaxed) != nullptr) continue;
      known.needs.store(needs, std::memory_order_relaxed);
      // release: pairs with the acquire in known_scope(), so that the scope is complete and the number
      // stands.
      return known.scope.store(scope, std::memory_order_release);
    }
  }

  void remember_page(std::uint64_t page, Scope* scope, bool is_permanent) const noexcept {
    if (!is_permanent) g_may_forget.store(true, std::memory_order_relaxed);
    PageTable* table = g_pages.load(std::memory_order_relaxed); // this thread's, for now
    if (table->used >= table->size() / 2) table = grow(*table);
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

  /// A table of four times the size with the same content. The old one stays: threads may be reading it. All
  /// old ones together are a third of the present one.
  static PageTable* grow(const PageTable& old) noexcept {
    const std::size_t size = old.size() * 4;
    void* const memory = map_pages(sizeof(PageTable) + sizeof(PageEntry) * size);
    if (memory == nullptr) return nullptr;
    auto* entries = reinterpret_cast<PageEntry*>(static_cast<unsigned char*>(memory) + sizeof(PageTable));
    auto* table = ::new (memory) PageTable(entries, size);
    for (std::size_t i = 0; i < old.size(); ++i) {
      const PageEntry& each = old.entry(i);
      Scope* const scope = each.scope.load(std::memory_order_relaxed);
      if (scope != nullptr)
        put(*table, each.page.load(std::memory_order_relaxed), scope,
            each.is_permanent.load(std::memory_order_relaxed));
    }
    // release: pairs with the acquire of the readers, so that the table is complete.
    g_pages.store(table, std::memory_order_release);
    return table;
  }

  bool has_ = false;
};
static_assert(sizeof(PageTable) % alignof(PageEntry) == 0);

Scope* known_scope(std::uint64_t needs) noexcept {
  if (needs == 0) return nullptr;
  for (const KnownNeeds& known : g_known_needs) {
    // acquire: pairs with the release in remember_needs().
    Scope* const scope = known.scope.load(std::memory_order_acquire);
    // The second look: the entry may have been emptied and filled again meanwhile.
    if (scope != nullptr && known.needs.load(std::memory_order_acquire) == needs &&
        known.scope.load(std::memory_order_relaxed) == scope)
      return scope;
  }
  return nullptr;
}

/// What is remembered of the page of `caller`, wherever it stands in the table.
Scope* remembered_scope(const void* caller) noexcept {
  const PageTable& table = *g_pages.load(std::memory_order_acquire); // as in scope_at_home()
  const std::uint64_t page = PageTable::page_of(caller);
  for (std::size_t index = table.home_of(page);; ++index) {
    const PageEntry& entry = table.entry(index);
    if (Scope* const scope = scope_in(entry, page)) return scope;
    if (entry.page.load(std::memory_order_relaxed) == 0) return nullptr; // there is always such an entry
  }
}

void remember_first(const LoadedObject& caller) noexcept {
  if (g_first_caller.size.load(std::memory_order_relaxed) != 0) return;
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
  if (!caller || !caller.tables.needs("libwstree.so")) return false;
  bool calls_it = false;
  for (const auto& relocations : caller.tables.relocations())
    for (const auto& relocation : relocations)
      calls_it = calls_it || std::string_view(caller.tables.name_of_symbol(relocation)).starts_with("GOMP_");
  return calls_it && dlopen("libgomp.so.1", RTLD_LAZY | RTLD_GLOBAL) != nullptr;
}

/// Remembers the scope of `order` for the page of `caller`, and for all objects with these `needs`, unless
/// another thread is about to remember something. The scope, or nullptr.
Scope* remember(const void* caller, const LoadedObject& object, std::uint64_t needs, Scope* scope,
                const SearchOrder* order) noexcept {
  const Writer writer;
  if (!writer) return scope;
  if (scope == nullptr) {
    scope = writer.scope_of(*order);
    if (scope == nullptr) return nullptr;
    if (needs != 0 && !order->is_callers_alone()) writer.remember_needs(needs, scope);
  }
  const bool is_permanent = object && is_initial(object.tables) && scope->order.is_permanent();
  if (is_permanent && !scope->order.is_runtimes_own()) remember_first(object);
  writer.remember_page(PageTable::page_of(caller), scope, is_permanent);
  return scope;
}

/// use(scope), or use(order) where the scope cannot be remembered.
template <class Use> auto with_order_of(const void* caller, Use&& use) noexcept {
  if (Scope* const scope = remembered_scope(caller)) return use(*scope, scope->order);
  const LoadedObject object = object_around(caller);
  const std::uint64_t needs = needs_of(object);
  if (Scope* const scope = known_scope(needs)) {
    remember(caller, object, needs, scope, nullptr);
    return use(*scope, scope->order);
  }
  const SearchOrder order(object);
  // Without a runtime there is nothing to remember: it may come later.
  Scope* const scope = order.has_runtime() ? remember(caller, object, needs, nullptr, &order) : nullptr;
  struct None {
    const SearchOrder& order;
    void* find(const Function& function) const noexcept { return order.find(function); }
  } none{order};
  return scope != nullptr ? use(*scope, scope->order) : use(none, order);
}

} // namespace

constinit std::atomic<PageTable*> g_pages{&g_first_table};

bool unknown_caller_is_runtime(const void* caller) noexcept {
  return with_order_of(caller, [](auto&, const SearchOrder& order) { return order.is_runtimes_own(); });
}
bool regions_are_llvms(const void* caller) noexcept {
  return with_order_of(caller, [](auto&, const SearchOrder& order) { return order.regions_are_llvms(); });
}

void* look_up(Function& function, const void* caller) noexcept {
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

void forget_callers() noexcept {
  // acquire: pairs with the release below, so that what another thread has forgotten is forgotten here, too.
  if (!g_may_forget.load(std::memory_order_acquire)) return;
  for (;; sched_yield()) { // for a thread that is remembering something, which makes no call that waits
    const Writer writer;
    if (!writer) continue;
    PageTable& table = *g_pages.load(std::memory_order_relaxed); // this thread's, for now
    // A page whose way to its entry leads past a free one now gets another entry when it calls again.
    for (std::size_t i = 0; i < table.size(); ++i) {
      PageEntry& entry = table.entry(i);
      if (entry.scope.load(std::memory_order_relaxed) == nullptr ||
          entry.is_permanent.load(std::memory_order_relaxed))
        continue;
      entry.scope.store(nullptr, std::memory_order_relaxed); // takes something away only
      entry.page.store(0, std::memory_order_relaxed);        // as above
      --table.used;
    }
    for (KnownNeeds& known : g_known_needs) known.scope.store(nullptr, std::memory_order_relaxed); // as above
    for (Scope* scope = g_scopes; scope != nullptr; scope = scope->older)
      scope->is_suspicious = !scope->order.is_permanent();
    g_may_forget.store(false, std::memory_order_release); // at last: another thread may be about to close
    return;
  }
}

void keep_callers(void (*keep)(const char* path) noexcept) noexcept {
  if (!g_may_forget.load(std::memory_order_relaxed)) return;         // and it stays: see is_permanent
  const PageTable& table = *g_pages.load(std::memory_order_acquire); // as in scope_at_home()
  for (std::size_t i = 0; i < table.size(); ++i) {
    PageEntry& entry = table.entry(i);
    if (entry.scope.load(std::memory_order_relaxed) == nullptr ||
        entry.is_permanent.load(std::memory_order_relaxed))
      continue;
    const std::uint64_t page = entry.page.load(std::memory_order_relaxed);
    const LoadedObject object = object_around(reinterpret_cast<const void*>(page << PageTable::k_page_bits));
    if (!object) continue; // code that the process has made
    keep(object.path);
    entry.is_permanent.store(true, std::memory_order_relaxed); // the worst is that it is kept again
  }
}

} // namespace wstree::abi
