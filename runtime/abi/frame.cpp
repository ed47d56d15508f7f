// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frame.h"

#include "loop_site.h"
#include "ompt/tool.h"
#include "preemption.h"
#include "process/counters.h"
#include "recordings.h"
#include "repeated_regions.h"
#include "trace/trace.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

extern "C" {
// Leak checkers have them: pointers in such memory lead to other memory that is in use.
[[gnu::weak]] void __lsan_register_root_region(const void* memory, std::size_t bytes) noexcept;   // NOLINT
[[gnu::weak]] void __lsan_unregister_root_region(const void* memory, std::size_t bytes) noexcept; // NOLINT
}

namespace wstree::abi {

constinit thread_local Frame* t_frame __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local Frame* t_spare_frames __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local const observe::Label* t_label __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local config::Ruling t_hint __attribute__((tls_model("initial-exec"))) = {};

namespace {

/// A thread's data that lives from region to region. On lines of its own, because the thread writes it twice
/// in each region.
struct alignas(core::k_line_pair) Cache {
  Frame* base = nullptr;                // the frame outside of any region
  KeptTeam* teams = nullptr;            // a list of unused teams
  loop::Recording* recording = nullptr; // unused memory for one loop of a member that is alone
  loop::Track* track = nullptr;         // track of the thread's events; the process keeps it
  TaskMemory* tasks = nullptr;          // memory about taskloops
};

constinit thread_local Cache* t_cache __attribute__((tls_model("initial-exec"))) = nullptr;

/// In one piece, which is a small page, and not from malloc(), which would make each worker an arena. Regions
/// deeper inside others than there are rooms for have their frames from there.
struct CacheMemory {
  static constexpr std::size_t k_rooms = 4;
  Cache cache;
  alignas(Frame) std::byte rooms[k_rooms][sizeof(Frame)];

  bool holds(const Frame* frame) const noexcept {
    const auto offset = reinterpret_cast<std::uintptr_t>(frame) - reinterpret_cast<std::uintptr_t>(rooms);
    return offset < sizeof rooms;
  }
};
static_assert(sizeof(CacheMemory) <= 4096, "a word more in core::Counts is two in AnyWorker, in each Frame");
static_assert(std::is_trivially_destructible_v<Frame>);

KeptTeam* next_of(const KeptTeam& team) noexcept { return static_cast<KeptTeam*>(team.next); }

void free_cache(void* data) noexcept {
  auto* memory = static_cast<CacheMemory*>(data);
  Cache* cache = &memory->cache;
  t_frame = nullptr;
  t_cache = nullptr;
  if (cache->base != nullptr) give_back_frame(cache->base);
  while (Frame* frame = t_spare_frames) {
    t_spare_frames = frame->outer;
    if (!memory->holds(frame)) ::operator delete(frame, std::nothrow);
  }
  while (cache->teams != nullptr) {
    KeptTeam* team = cache->teams;
    cache->teams = next_of(*team);
    team->~KeptTeam();
    Platform::release(team, sizeof(KeptTeam));
  }
  loop::Recording::destroy<Platform>(cache->recording);
  if (cache->tasks != nullptr) Platform::release(cache->tasks, sizeof(TaskMemory));
  close_counters();
  if (__lsan_unregister_root_region != nullptr) __lsan_unregister_root_region(memory, sizeof *memory);
  munmap(memory, sizeof *memory);
}

/// Its destructor runs free_cache() when a thread ends.
constinit pthread_once_t g_once = PTHREAD_ONCE_INIT;
constinit pthread_key_t g_key = 0;
constinit bool g_have_key = false;

[[gnu::noinline]] Cache* make_cache() noexcept {
  pthread_once(&g_once,
               [] { g_have_key = pthread_key_create(&g_key, [](void* data) { free_cache(data); }) == 0; });
  if (!g_have_key) return nullptr;
  void* pages =
      mmap(nullptr, sizeof(CacheMemory), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  // If nothing would free the cache at the end of the thread, the runtime serves the thread's loops.
  if (pthread_setspecific(g_key, pages) != 0) {
    munmap(pages, sizeof(CacheMemory));
    return nullptr;
  }
  if (__lsan_register_root_region != nullptr) __lsan_register_root_region(pages, sizeof(CacheMemory));
  auto* memory = ::new (pages) CacheMemory;
  for (auto& room : memory->rooms) give_back_frame(reinterpret_cast<Frame*>(room));
  return t_cache = &memory->cache;
}
Cache* cache() noexcept { return t_cache != nullptr ? t_cache : make_cache(); }

} // namespace

Frame* make_spare_frame() noexcept {
  if (t_cache == nullptr) return make_cache() != nullptr ? lend_frame() : nullptr;
  return static_cast<Frame*>(::operator new(sizeof(Frame), std::nothrow));
}

Frame* make_base_frame() noexcept {
  Cache* own = cache();
  if (own == nullptr) return nullptr;
  if (own->base == nullptr)
    if (void* memory = lend_frame()) own->base = ::new (memory) Frame(Place{nullptr, 0}, Frame::Kind::base);
  t_frame = own->base;
  return t_frame;
}

void push_alone(Place here) noexcept {
  void* memory = lend_frame();
  if (memory == nullptr) {
    if (t_frame != nullptr) ++t_frame->missing;
    return;
  }
  auto* frame = ::new (memory) Frame(here, Frame::Kind::serialised);
  frame->in_parallel = t_frame != nullptr && t_frame->in_parallel;
  frame->hint = take_hint();
  frame->push();
}

void pop_alone() noexcept {
  Frame* frame = t_frame;
  if (frame == nullptr) return;
  if (frame->missing != 0) {
    --frame->missing;
    return;
  }
  if (frame->kind != Frame::Kind::serialised) return;
  if (frame->loop.is_open()) leave_loop(*frame);
  t_frame = frame->outer;
  give_back_frame(frame);
}

namespace {

[[gnu::noinline]] KeptTeam* make_team() noexcept {
  void* memory = Platform::allocate(sizeof(KeptTeam));
  return memory == nullptr ? nullptr : ::new (memory) KeptTeam;
}

} // namespace

KeptTeam* borrow_team() noexcept {
  Cache* own = cache();
  if (own == nullptr) [[unlikely]]
    return nullptr;
  KeptTeam* team = own->teams;
  if (team == nullptr) [[unlikely]]
    return make_team();
  own->teams = next_of(*team);
  return team;
}

void give_back_team(KeptTeam* team) noexcept {
  team->next = t_cache->teams; // borrow_team() made the cache
  t_cache->teams = team;
}

TaskMemory* own_task_memory() noexcept {
  Cache* own = cache();
  if (own == nullptr) [[unlikely]]
    return nullptr;
  if (own->tasks == nullptr) [[unlikely]]
    if (void* memory = Platform::allocate(sizeof(TaskMemory))) own->tasks = ::new (memory) TaskMemory;
  return own->tasks;
}

void record_loop(Frame& frame, const loop::Pace& pace, std::uint64_t units, std::uint64_t chunk) noexcept {
  if (frame.member.members() == 1) {
    if (Cache* own = cache()) frame.recording = std::exchange(own->recording, nullptr);
    if (frame.recording == nullptr)
      frame.recording = loop::Recording::create<Platform>(loop::Recording::capacity(1));
  }
  frame.member.record(pace, units, chunk, frame.recording);
}

loop::Track* own_track() noexcept {
  Cache* own = cache();
  if (own == nullptr) return nullptr;
  if (own->track == nullptr) own->track = add_track(session().options.trace_events);
  if (own->track != nullptr && own->track->thread == 0)
    own->track->thread = static_cast<int>(syscall(SYS_gettid));
  if (own->track != nullptr && own->track->ready < own->track->capacity() &&
      own->track->total() + k_room / 4 > own->track->ready)
    make_room(*own->track);
  return own->track;
}

namespace {

void take_back_recording(Frame& frame) noexcept {
  loop::Recording* back = std::exchange(frame.recording, nullptr);
  // Nested regions may give back several; one is enough to keep.
  if (Cache* own = cache(); back != nullptr && own != nullptr) std::swap(back, own->recording);
  loop::Recording::destroy<Platform>(back);
}

/// Keeps the recordings of a loop by the members of a team, if all of them have recorded it.
void keep_profile(const Frame& frame, const loop::Execution& execution, std::uint64_t number) noexcept {
  if (!observe::is_kept(number)) return;
  std::size_t pieces = 0;
  for (std::uint32_t m = 0; m < execution.members; ++m) {
    const loop::Recording* recording = execution.accounts[m].recording;
    if (recording == nullptr) return;
    pieces += recording->size();
  }
  observe::JoinedPieces joined(pieces);
  if (!joined.is_ready()) return;
  const Bounds& bounds = frame.bounds;
  observe::RecordedExecution recorded{
      number,      execution.members, execution.wall_ticks, (bounds.iterations - 1) / bounds.unit + 1,
      bounds.unit, bounds.iterations};
  // The pieces of a region that is called again, of which the first have an iteration more, as iterations.
  const std::uint64_t items = frame.answers != nullptr ? frame.answers->items : 0;
  const std::uint64_t rest =
      items != 0 ? bounds.iterations - std::min(bounds.iterations, items * bounds.unit) : 0;
  if (items != 0) recorded.units = bounds.iterations, recorded.unit = 1;
  const auto place = [&](std::uint64_t unit) {
    return items != 0 ? unit * bounds.unit + std::min(unit, rest) : unit;
  };
  for (std::uint32_t m = 0; m < execution.members; ++m)
    for (const loop::Piece& piece : *execution.accounts[m].recording) {
      const std::uint64_t begin = place(piece.begin), end = place(piece.end);
      const bool is_full = piece.units == piece.end - piece.begin;
      joined.add(begin, end, is_full ? end - begin : piece.units, piece.ticks, m);
    }
  observe::keep(*frame.site, recorded, joined);
}

} // namespace

void leave_watched_work(Frame& frame) noexcept {
  const LoopState loop = frame.loop.stop_watching();
  if (loop.has_begun()) ompt::tell_end(frame);
  if (!loop.is_measured()) return frame.member.leave();
  if (session().counted)
    if (const observe::CounterValues part = end_counting(&frame);
        part.all_parts != 0 && frame.site != nullptr)
      frame.site->counters().add(frame.member.index(), part);
  const auto report = [&frame](const loop::Execution& execution) {
    if (frame.site == nullptr) return;
    core::Execution all = execution;
    const std::uint64_t own = frame.answers != nullptr ? frame.answers->own : 0;
    const std::uint64_t units = all.total.iterations + own;
    all.chunk = frame.bounds.unit;
    all.total.batches += own;
    all.total.iterations = std::min(units * all.chunk, frame.bounds.iterations);
    // Some pieces have one iteration more than the others.
    if (frame.answers != nullptr && units == frame.answers->items)
      all.total.iterations = frame.bounds.iterations;
    all.counts_pieces = frame.answers != nullptr && frame.answers->are_pieces;
    const std::uint64_t number = observe::record(*frame.site, all);
    if (execution.accounts[0].recording != nullptr) keep_profile(frame, execution, number);
  };
  frame.member.leave(report, end_preemption(&frame));
  if (frame.recording != nullptr) take_back_recording(frame);
}

bool is_back_in_served_loop(Frame& frame, const void* caller) noexcept {
  if (!frame.is_at(caller)) return false;
  frame.loop.return_from_foreign();
  return true;
}

} // namespace wstree::abi
