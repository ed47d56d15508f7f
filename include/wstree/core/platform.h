// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine as the tree uses it: a policy class, and its production version.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <sched.h>
#include <sys/mman.h>

namespace wstree::core {

/// Data that different threads write lies this far apart: two cache lines, because x86 fetches them in pairs.
inline constexpr std::size_t k_line_pair = 128;

/// Name of every ordering decision. The comment at each use names the accesses that it orders, and the tag
/// with which it pairs; a model build can weaken one tag at a time through Platform::order.
enum class Tag : std::uint8_t {
  own,                // N1 tree/node.h
  advance,            // N2 tree/node.h
  stop,               // N3 tree/node.h
  adopt,              // N4 tree/node.h
  read_children,      // N5 tree/node.h
  inspect,            // N6 tree/node.h
  publish_cost,       // N7 tree/node.h
  refresh,            // N8 tree/node.h
  publish_owner,      // N9 tree/node.h
  publish_held,       // N10 tree/node.h
  mark_done,          // N11 tree/search/board.h
  mark_below,         // N12 tree/node.h
  mark_handed,        // N13 tree/handed_out.h
  take_last,          // W1 last_taken.h
  arrive,             // A1 reduction/ascent.h
  take_share,         // S1 share_mark.h
  reserve_units,      // R1 range/range.h
  check_reserved,     // R2 range/range.h
  contend,            // R3 range/range.h
  keep_quarter,       // R4 range/range.h
  read_range,         // R5 range/range.h
  read_low,           // R6 range/range.h
  steal_range,        // R7 range/range.h
  open_low,           // R8 range/range.h
  open_range,         // R9 range/range.h
  enter_cell,         // R10 range/range.h
  close_range,        // R11 range/range.h
  move_units,         // R12 range/range.h
  return_units,       // R13 range/range.h
  enter_counter,      // C1 self_scheduling/counter.h
  take_step,          // C2 self_scheduling/counter.h
  raise_counter,      // C3 self_scheduling/counter.h
  open_queue,         // Q1 queue/owner_line.h
  announce_move,      // Q2 queue/owner_line.h
  item,               // Q3 queue/item_array.h
  grow_array,         // Q4 queue/item_array.h
  look,               // Q5 queue/lock_free_queue.h
  find_room,          // Q6 queue/lock_free_queue.h
  publish_item,       // Q7 queue/lock_free_queue.h
  lower_bottom,       // Q8 queue/lock_free_queue.h
  owner_reads_top,    // Q9 queue/lock_free_queue.h
  thief_reads_top,    // Q10 queue/lock_free_queue.h
  thief_reads_bottom, // Q11 queue/lock_free_queue.h
  take_oldest,        // Q12 queue/lock_free_queue.h
  take_only_item,     // Q13 queue/lock_free_queue.h
  restore_bottom,     // Q14 queue/lock_free_queue.h
  lock_queue,         // L1 queue/locked_queue.h
  find_room_locked,   // L2 queue/locked_queue.h
  publish_locked,     // L3 queue/locked_queue.h
  lower_tail,         // L4 queue/locked_queue.h
  owner_reads_head,   // L5 queue/locked_queue.h
  raise_head,         // L6 queue/locked_queue.h
  thief_reads_tail,   // L7 queue/locked_queue.h
  restore_tail,       // L8 queue/locked_queue.h
  restore_head,       // L9 queue/locked_queue.h
  leave_loop,         // T1 loop/ring_member.h
  wait_for_slot,      // T2 loop/ring_member.h
  grow,               // T3 loop/team.h
  next_base,          // T4 loop/team.h
  count_leaver,       // T5 loop/team_storage.h
  absent,             // T6 loop/team.h
  end_ring,           // T7 loop/ring_end.h
  leave_tasks,        // T8 loop/task_loop.h
  take_tile,          // P1 parallel/tile_run.h
  bound_tiles,        // P2 parallel/verdict.h
  settle_verdict,     // P3 parallel/verdict.h
  know_tile,          // P4 parallel/scan_tiles.h
  pass_turn,          // P5 parallel/ordered.h
  open_door,          // P6 parallel/door.h
  leave_door,         // P7 parallel/door.h
  count_busy,         // P8 parallel/nesting.h
  take_number,        // P9 parallel/nesting.h
  count_sleeper,      // B1 types/detail/sleepers.h
  announce_sleep,     // B2 types/detail/sleepers.h
  publish_work,       // B3 types/detail/sleepers.h
  bed,                // B4 types/detail/sleepers.h
  notice_wake,        // B5 types/detail/sleepers.h
  count_outsider,     // E1 types/detail/outsiders.h
  raise_number,       // E2 types/detail/outsiders.h
  finish_task,        // G1 types/detail/task_count.h
  count_task,         // G2 types/detail/task_count.h
  expect_end,         // G3 types/detail/task_count.h
  leave_rest,         // D1 types/detail/shared_loop.h
  hint_at_rests,      // D2 types/detail/shared_loop.h
  stop_loop,          // D3 types/detail/shared_loop.h
  begin_call,         // M1 mpi/board.h
  come_to_rest,       // M2 mpi/board.h
  wake_up,            // M3 mpi/board.h
  post_packet,        // M4 mpi/board.h
};

/// Returns the ticks from `since` to `now`; none if the thread has moved to a processor whose clock is
/// behind. Waits that give up after a time call this, because a difference below zero looks like the longest
/// time there is. Brief waits that nothing depends on do not: they end at once then.
constexpr std::uint64_t elapsed(std::uint64_t since, std::uint64_t now) noexcept {
  return now < since ? 0 : now - since;
}

/// The one seam between the scheduler and the machine. Requirements on a Platform:
///   Atomic<T>         as std::atomic<T> for integral T and pointers
///   Plain<T>          as T: data that other threads may only read after a release and an acquire
///   order(tag, o)     the memory order to use for the operation that is tagged `tag` and needs `o`
///   ticks()           a clock of some nanoseconds; those of two processors may differ (elapsed())
///   relax(), yield()  inside a spin loop: for the core, for the operating system
///   allocate(bytes)   zeroed memory aligned to k_line_pair, or nullptr
///   release(p, bytes)
/// and may have
///   probe()           ticks that some hundred instructions take, the same for all members (pace.h)
///   ticks_per_ms()    the rate of its clock, for ticks_in()
struct StdPlatform {
  template <class T> using Atomic = std::atomic<T>;
  template <class T> using Plain = T;

  static constexpr std::memory_order order(Tag, std::memory_order needed) noexcept { return needed; }

  static std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    std::uint64_t value;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#endif
  }

  /// Returns the ticks in a millisecond, near enough for decisions that a factor of two does not change.
  static std::uint64_t ticks_per_ms() noexcept {
#if defined(__x86_64__)
    return 2'500'000;
#elif defined(__aarch64__)
    std::uint64_t hertz;
    asm("mrs %0, cntfrq_el0" : "=r"(hertz));
    return hertz / 1000;
#endif
  }
  static double ticks_per_us() noexcept { return static_cast<double>(ticks_per_ms()) / 1000; }

  static void relax() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
  }

  static void yield() noexcept { sched_yield(); }

  /// Executes a probe, which takes about 0.1 us, and returns its ticks.
  [[gnu::noinline]] static std::uint32_t probe() noexcept {
    std::uint64_t a = 1, b = 2, c = 3;
    const std::uint64_t since = fenced_ticks();
    for (int i = 0; i < k_probe_steps; ++i) {
      a = a * 0x9E3779B97F4A7C15U + b;
      b ^= b << 13;
      b ^= b >> 7;
      c = (c << 9 | c >> 55) + a;
      asm volatile("" : "+r"(a), "+r"(b), "+r"(c)); // so that it is executed as it stands
    }
    const std::uint64_t took = fenced_ticks() - since;
    return took < 0xFFFF'FFFF ? static_cast<std::uint32_t>(took | 1) : 0xFFFF'FFFF;
  }

  /// Returns zeroed memory, untouched as far as it is large: a page then belongs to the first thread that
  /// uses it, and a block that is given back unused has cost next to nothing. Large blocks come from the
  /// system itself, because calloc() clears memory that was used before.
  static void* allocate(std::size_t bytes) noexcept {
    if (bytes >= k_large) return map(bytes);
    void* block = std::calloc(1, bytes + k_line_pair + sizeof(void*));
    if (block == nullptr) return nullptr;
    if (reinterpret_cast<std::uintptr_t>(block) >> 56 != 0) { // a tag of AArch64: links have no room for it
      std::free(block);
      auto* pages = static_cast<std::byte*>(map(bytes + k_line_pair)); // the link in front is nullptr
      return pages != nullptr ? pages + k_line_pair : nullptr;
    }
    const auto behind_link = reinterpret_cast<std::uintptr_t>(block) + sizeof(void*);
    const std::uintptr_t aligned = (behind_link + k_line_pair - 1) / k_line_pair * k_line_pair;
    auto* memory = reinterpret_cast<void**>(aligned);
    memory[-1] = block;
    return memory;
  }

  static void release(void* memory, std::size_t bytes) noexcept {
    if (memory == nullptr) return;
    if (bytes >= k_large)
      munmap(memory, bytes);
    else if (void* block = static_cast<void**>(memory)[-1]; block != nullptr)
      std::free(block);
    else
      munmap(static_cast<std::byte*>(memory) - k_line_pair, bytes + k_line_pair);
  }

private:
  static constexpr std::size_t k_large = 128 * 1024;
  /// Steps of a probe, about 10 cycles each: 400 ticks where the clock has steps of 26 ticks (x86-64), and
  /// some ticks of a clock of 20 MHz.
#if defined(__x86_64__)
  static constexpr int k_probe_steps = 96;
#elif defined(__aarch64__)
  static constexpr int k_probe_steps = 384;
#endif

  /// Returns the clock at a moment when all instructions before have ended, and none behind has begun.
  static std::uint64_t fenced_ticks() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_lfence();
    const std::uint64_t now = ticks();
    __builtin_ia32_lfence();
    return now;
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
    const std::uint64_t now = ticks();
    asm volatile("isb" ::: "memory");
    return now;
#endif
  }

  static void* map(std::size_t bytes) noexcept {
    void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages != MAP_FAILED ? pages : nullptr;
  }
};

} // namespace wstree::core
