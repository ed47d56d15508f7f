// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gcc's programs ask of libgomp, on std::thread: a stand-in for tests under the thread sanitizer, which
// cannot see how the real runtime orders its threads. Linked into a program it is found before the library.
// Each region has fresh threads, tasks run at once, and there is nothing else.
#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

/// The members of one region.
struct Crew {
  int members = 1;
  int level = 0; // regions around it with more than one member, itself included
  std::mutex lock;
  std::condition_variable changed;
  int waiting = 0;
  std::uint64_t barriers = 0;
  std::uint64_t singles = 0; // that a thread has begun
  void* copied = nullptr;

  void barrier() {
    std::unique_lock holder(lock);
    const std::uint64_t mine = barriers;
    if (++waiting == members) {
      waiting = 0;
      ++barriers;
      changed.notify_all();
    } else {
      changed.wait(holder, [&] { return barriers != mine; });
    }
  }
};

/// What the calling thread is in the innermost region.
struct Place {
  Crew* crew = nullptr;
  int number = 0;
  std::uint64_t singles = 0; // that it has met
};
thread_local Place t_place;

int g_levels = 1;

int usual_threads() {
  const char* const text = std::getenv("OMP_NUM_THREADS");
  const int asked = text != nullptr ? std::atoi(text) : 0;
  return asked > 0 ? asked : static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
}
thread_local int t_threads = 0; // 0: as usual

bool begins_single() {
  Place& place = t_place;
  if (place.crew == nullptr) return true;
  const std::lock_guard holder(place.crew->lock);
  if (++place.singles <= place.crew->singles) return false;
  place.crew->singles = place.singles;
  return true;
}

} // namespace

extern "C" {

int omp_get_thread_num() { return t_place.number; }
int omp_get_num_threads() { return t_place.crew != nullptr ? t_place.crew->members : 1; }
int omp_get_max_threads() { return t_threads != 0 ? t_threads : usual_threads(); }
void omp_set_num_threads(int threads) { t_threads = threads; }
int omp_in_parallel() { return t_place.crew != nullptr && t_place.crew->level > 0 ? 1 : 0; }
int omp_get_active_level() { return t_place.crew != nullptr ? t_place.crew->level : 0; }
int omp_get_max_active_levels() { return g_levels; }
void omp_set_max_active_levels(int levels) { g_levels = levels; }
int omp_get_thread_limit() { return 1 << 16; }
int omp_get_num_procs() { return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U)); }

void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned) {
  const Place outer = t_place;
  const int level = outer.crew != nullptr ? outer.crew->level : 0;
  Crew crew;
  crew.members =
      level >= g_levels
          ? 1
          : static_cast<int>(threads != 0 ? threads : static_cast<unsigned>(omp_get_max_threads()));
  crew.level = level + (crew.members > 1 ? 1 : 0);
  const int usual = t_threads;
  std::vector<std::thread> others;
  for (int i = 1; i < crew.members; ++i)
    others.emplace_back([&, i] {
      t_place = {&crew, i, 0};
      t_threads = usual;
      function(data);
    });
  t_place = {&crew, 0, 0};
  function(data);
  for (auto& other : others) other.join();
  t_place = outer;
}

void GOMP_barrier() {
  if (t_place.crew != nullptr) t_place.crew->barrier();
}
bool GOMP_single_start() { return begins_single(); }
void* GOMP_single_copy_start() {
  if (begins_single()) return nullptr;
  Crew& crew = *t_place.crew;
  crew.barrier();
  void* const copied = crew.copied;
  crew.barrier();
  return copied;
}
void GOMP_single_copy_end(void* data) {
  Crew* const crew = t_place.crew;
  if (crew == nullptr) return;
  crew->copied = data;
  crew->barrier();
  crew->barrier();
}
void GOMP_task(void (*function)(void*), void* data, void (*copy)(void*, void*), long size, long align, bool,
               unsigned, void**, int, void*) {
  if (copy == nullptr) return function(data);
  const auto bytes = static_cast<std::size_t>(size) + static_cast<std::size_t>(align);
  const auto room = std::make_unique<std::byte[]>(bytes);
  void* at = room.get();
  std::size_t left = bytes;
  at = std::align(static_cast<std::size_t>(align), static_cast<std::size_t>(size), at, left);
  copy(at, data);
  function(at);
}
void GOMP_taskwait() {}
}
