// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An OpenMP runtime as small as it can be, with GCC's interface: teams of three, one loop at a time.
//   STUB_COMPLETE      has what the program calls
//   STUB_OLD           as libgomp before GCC 9: the calls for runtime schedules have other names
//   STUB_WITHOUT_END   lacks the end of a loop
//   STUB_EMPTY         has nothing
#ifdef STUB_EMPTY
extern "C" int stub_is_empty;
int stub_is_empty = 1;
#else
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <strings.h>
#include <thread>
#include <vector>

namespace {

constexpr int k_members = 3;
thread_local int number = 0;
thread_local int level = 0;
pthread_barrier_t barrier;

/// The present loop. Every member starts it with the same bounds.
std::atomic<long> position{0};
std::atomic<long> end_of_loop{0};

bool hand_out(long* first, long* past) {
  *first = position++;
  *past = *first + 1;
  return *first < end_of_loop;
}

/// The first member sets the loop up, between two barriers.
bool start(long begin, long end, long* first, long* past) {
  pthread_barrier_wait(&barrier);
  if (number == 0) {
    position = begin;
    end_of_loop = end;
  }
  pthread_barrier_wait(&barrier);
  return hand_out(first, past);
}

void member(int index, void (*function)(void*), void* data) {
  number = index;
  ++level;
  function(data);
  --level;
  number = 0;
}

} // namespace

extern "C" {

int omp_get_num_threads() { return level == 0 ? 1 : k_members; }
int omp_get_thread_num() { return number; }
int omp_get_level() { return level; }

/// Knows the schedule that the library puts in the place of its own.
void omp_get_schedule(int* kind, int* chunk) {
  const char* value = std::getenv("OMP_SCHEDULE");
  const bool marked = value != nullptr && strncasecmp(value, "monotonic:dynamic", 17) == 0;
  *kind = marked ? static_cast<int>(0x80000002U) : 1;
  *chunk = marked && value[17] == ',' ? std::atoi(value + 18) : 1;
}

void GOMP_parallel(void (*function)(void*), void* data, unsigned, unsigned) {
  pthread_barrier_init(&barrier, nullptr, k_members);
  std::vector<std::thread> others;
  for (int i = 1; i < k_members; ++i) others.emplace_back(member, i, function, data);
  member(0, function, data);
  for (std::thread& other : others) other.join();
  pthread_barrier_destroy(&barrier);
}
void GOMP_barrier() { pthread_barrier_wait(&barrier); }
bool GOMP_loop_runtime_start(long begin, long end, long, long* first, long* past) {
  return start(begin, end, first, past);
}
bool GOMP_loop_runtime_next(long* first, long* past) { return hand_out(first, past); }
void GOMP_loop_end_nowait() {}
#ifndef STUB_WITHOUT_END
void GOMP_loop_end() { GOMP_barrier(); }
#endif

#ifndef STUB_OLD
bool GOMP_loop_maybe_nonmonotonic_runtime_start(long begin, long end, long, long* first, long* past) {
  return start(begin, end, first, past);
}
bool GOMP_loop_maybe_nonmonotonic_runtime_next(long* first, long* past) { return hand_out(first, past); }
void GOMP_parallel_loop_maybe_nonmonotonic_runtime(void (*function)(void*), void* data, unsigned threads,
                                                   long begin, long end, long, unsigned flags) {
  position = begin;
  end_of_loop = end;
  GOMP_parallel(function, data, threads, flags);
}
#endif
}
#endif
