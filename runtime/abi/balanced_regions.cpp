// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "balanced_regions.h"

#include "loop_entry.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <pthread.h>

namespace wstree::abi {

constinit thread_local bool t_in_distribute __attribute__((tls_model("initial-exec"))) = false;

namespace {

/// Regions by their code. An entry is taken once and for good; untouched pages cost nothing.
class Table {
public:
  constexpr Table() noexcept = default;
  BalancedRegion* find(const void* code) noexcept {
    const auto mixed = reinterpret_cast<std::uintptr_t>(code) * 0x9E3779B97F4A7C15U;
    std::size_t place = mixed >> (64 - k_bits);
    for (std::size_t probes = 0; probes < k_most_probes; ++probes, place = (place + 1) % k_places) {
      // relaxed: the region behind the key begins as zeros, and its own flag orders the rest. Guard:
      // abi.static_loops with several roots.
      const void* seen = keys_[place].load(std::memory_order_relaxed);
      if (seen == nullptr && keys_[place].compare_exchange_strong(seen, code, std::memory_order_relaxed,
                                                                  std::memory_order_relaxed)) {
        watch_forks();
        seen = code;
      }
      if (seen == code) return &regions_[place];
    }
    return nullptr;
  }
  /// Begins anew all open regions but `own`, in the child of a fork, for a thread whose innermost open
  /// region is `own`.
  void release_others(const BalancedRegion* own) noexcept {
    for (std::size_t place = 0; place < k_places; ++place)
      // relaxed: the child has one thread.
      if (keys_[place].load(std::memory_order_relaxed) != nullptr && &regions_[place] != own &&
          regions_[place].is_open())
        regions_[place].begin_anew();
  }

private:
  /// Registers a handler for forks: regions that other threads have open when this one forks would stay
  /// open in the child for ever. Without memory for the handler they do, and the runtime cuts their
  /// loops there.
  static void watch_forks() noexcept;

  static constexpr unsigned k_bits = 9;
  static constexpr std::size_t k_places = std::size_t{1} << k_bits;
  static constexpr std::size_t k_most_probes = 16;
  std::array<std::atomic<const void*>, k_places> keys_{};
  std::array<BalancedRegion, k_places> regions_{};
};
constinit Table g_table;
constinit std::atomic<bool> g_watches_forks{false}; // relaxed: one thread calls pthread_atfork()

void Table::watch_forks() noexcept {
  if (g_watches_forks.exchange(true, std::memory_order_relaxed)) return;
  pthread_atfork(nullptr, nullptr, [] {
    // Regions around that one are left to the runtime, if they fork again in the child.
    const Frame* frame = t_frame;
    g_table.release_others(frame != nullptr ? frame->statics.region() : nullptr);
  });
}

constexpr std::string_view k_equal = "static (equal parts)";
constexpr std::string_view k_cut = "static (balanced)";

} // namespace

BalancedRegion* open_balanced(const void* code, const void* caller, const char* source,
                              const observe::Label* label) noexcept {
  if (t_in_distribute) return nullptr;
  if (session().rules != nullptr) {
    const config::Ruling ruling = ruling_of(caller, source, label);
    if (ruling.is_left_to_runtime() || ruling.history() == false ||
        !ruling.loops(session().options.loops).has(config::LoopKind::static_))
      return nullptr;
  }
  BalancedRegion* region = g_table.find(code);
  if (region == nullptr || !region->open()) return nullptr;
  if (session().traced)
    region->trace(observe::find_site(caller, nullptr, k_equal, label),
                  observe::find_site(caller, nullptr, k_cut, label));
  return region;
}

void keep_equal_parts(Frame& frame, std::uint64_t iterations, const void* caller) noexcept {
  const std::uint32_t members = frame.member.members();
  if (core::Balance::can_cut(iterations, members) && frame.is_at(caller))
    frame.statics.region()->keep_equal(frame.member.index(), members, iterations);
}

void leave_traced_part(Frame& frame) noexcept {
  const std::uint64_t iterations = frame.statics.iterations();
  const std::uint64_t now = frame.statics.leave();
  loop::Track* track = own_track();
  if (track == nullptr) return;
  loop::Event event = frame.statics.region()->noted_part(frame.member.index());
  event.begin = frame.statics.entered();
  event.end = now;
  track->add(event);
  event.kind = loop::Event::Kind::loop;
  event.first = 0;
  event.past = iterations;
  track->add(event);
}

void close_balanced(BalancedRegion& region, const void* caller, const observe::Label* label) noexcept {
  const bool measured = session().measured;
  region.close([&](const loop::MeasuredLoops& loops) {
    if (!measured) return;
    note_members(loops.members);
    observe::LoopSite* site = observe::find_site(caller, nullptr, loops.was_equal ? k_equal : k_cut, label);
    core::Execution execution{
        loops.members,
        {loops.iterations * loops.executions, loops.members * loops.executions, 0, 0, loops.sum},
        loops.longest,
        loops.longest};
    execution.is_of_new_length = loops.is_new;
    observe::record(*site, execution);
  });
}

} // namespace wstree::abi
