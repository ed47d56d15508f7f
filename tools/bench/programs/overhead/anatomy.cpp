// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The calls of a loop one by one.
#include "call_tools.h"
#include "measure/team.h"
#include <cstdint>
#include <thread>

namespace bench {
namespace {

std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(now_ns());
#endif
}

/// Returns the ticks between two looks at the clock.
std::uint64_t empty_ticks() {
  std::uint64_t empty = ~std::uint64_t{0};
  for (int k = 0; k < 100; ++k) {
    const std::uint64_t start = ticks();
    empty = std::min(empty, ticks() - start);
  }
  return empty;
}

/// The length of a tick, from a stretch of time that is measured anyway.
class TickLength {
public:
  double ns() const {
    return (now_ns() - begin_ns_) / static_cast<double>(std::max<std::uint64_t>(ticks() - begin_, 1));
  }

private:
  double begin_ns_ = now_ns();
  std::uint64_t begin_ = ticks();
};

/// The calls of a short loop, each timed by itself.
enum class Call { entry, hit, end };

/// Nanoseconds of one kind of call in loops of one iteration for each thread, which all enter together: entry
/// (gcc's takes the first chunk along), a chunk that there is, and the answer that there is none.
template <Said said> double time_call(Call call, int threads, int loops) {
  std::atomic<std::uint64_t> sum{0}, calls{0};
  const std::uint64_t empty = empty_ticks();
  const TickLength tick;
#pragma omp parallel num_threads(threads)
  {
    std::uint64_t mine = 0, count = 0;
    const auto add = [&](Call which, std::uint64_t start) {
      if (which != call) return;
      mine += ticks() - start - empty;
      ++count;
    };
#pragma omp barrier
    for (int k = 0; k < loops; ++k) {
      std::uint64_t start = ticks();
      Chunks<said> chunks(threads);
      add(Call::entry, start);
      while (true) {
        start = ticks();
        const bool any = chunks.next();
        add(any ? Call::hit : Call::end, start);
        if (!any) break;
      }
      chunks.leave();
#pragma omp barrier
    }
    sum += mine;
    calls += count;
#pragma omp barrier
  }
  return calls == 0 ? -1 : tick.ns() * static_cast<double>(sum) / static_cast<double>(calls);
}

/// Waits until `number` is `wanted`.
void wait_for(const std::atomic<int>& number, int wanted) {
  constexpr int k_patience = 1'000; // then the other one needs the processor
  // [acquire] what its thread has done is done; pairs with the releases in time_steal().
  for (int k = 0; number.load(std::memory_order_acquire) != wanted; ++k)
    if (k < k_patience)
      pause();
    else
      std::this_thread::yield();
}

/// Returns the nanoseconds of the call in which a thread that has done its own part gets a piece of another
/// thread's part. The victim has begun its part and waits. Chunks are thrown away. Negative: no steal.
template <Said said> double time_steal(int loops) {
  constexpr int k_least = 64, k_sizes = 1000;
  std::atomic<int> begun{0}, stolen{0};
  std::uint64_t sum = 0, calls = 0;
  const std::uint64_t empty = empty_ticks();
  const TickLength tick;
#pragma omp parallel num_threads(2)
  for (int k = 1; k <= loops; ++k) {
    // Another number each time: a loop that is executed again is one in which nothing has to be stolen.
    const int share = k_least + k % k_sizes;
    Chunks<said> chunks(2 * share);
    bool any = true; // a runtime must not be called again once it has returned false
    if (omp_get_thread_num() == 0) {
      any = chunks.next();
      begun.store(k, std::memory_order_release); // pairs with wait_for()
      wait_for(stolen, k);
    } else {
      wait_for(begun, k);
      for (bool own = true; own && any;) {
        const std::uint64_t start = ticks();
        any = chunks.next();
        const std::uint64_t spent = ticks() - start - empty;
        own = any && chunks.first() >= share;
        if (own || !any) continue;
        sum += spent;
        ++calls;
      }
      stolen.store(k, std::memory_order_release); // pairs with wait_for()
    }
    while (any) any = chunks.next();
    chunks.leave();
#pragma omp barrier
  }
  return calls == 0 ? -1 : tick.ns() * static_cast<double>(sum) / static_cast<double>(calls);
}

/// Returns the schedule's name: libomp executes a literal schedule(dynamic) by its static_steal.
std::string name_of(const Schedule& schedule) {
  return schedule.clause == Clause::dynamic ? "static_steal,1" : schedule.name;
}

template <Said said>
void add_schedule(Collector& collect, const Schedule& schedule, int threads, const CallSettings& settings) {
  const auto add = [&](const char* measure, int chunk, auto timing, int of = 0) {
    collect.add(for_threads(measure, name_of(schedule), of == 0 ? threads : of), [&] {
      omp_set_schedule(schedule.kind, chunk);
      return timing();
    });
  };
  const auto add_call = [&](const char* measure, Call call) {
    add(measure, schedule.chunk, [&] { return time_call<said>(call, threads, settings.loops); });
  };
  add_call("entry", Call::entry);
  add_call("hit", Call::hit);
  add_call("end", Call::end);
  if (threads == 1) return;
  const int iterations = has_large_chunks(schedule) ? 1 << 30 : settings.loops * 20;
  const bool is_static = schedule.kind == k_wsstatic || (schedule.kind == k_static && said == Said::runtime);
  for (const bool alone : {false, true})
    add(alone ? "settled hit, others wait" : "settled hit", is_static ? 1 : schedule.chunk,
        [&] { return time_next<said>(threads, iterations, alone); });
  if (said == Said::dynamic || is_batched(schedule)) // the others have nothing to steal from
    add(
        "steal", schedule.chunk, [&] { return time_steal<said>(settings.loops); }, 2);
}

} // namespace

std::vector<Figure> measure_anatomy(const CallSettings& settings, bool with_library) {
  start_team(settings.threads);
  Collector collect(settings);
  for (const int threads : team_sizes(settings))
    for (const Schedule& schedule : selected(settings.schedules, with_library)) {
      if (schedule.clause == Clause::runtime)
        add_schedule<Said::runtime>(collect, schedule, threads, settings);
      else if (schedule.clause == Clause::dynamic && k_runtime == Runtime::libomp)
        add_schedule<Said::dynamic>(collect, schedule, threads, settings);
    }
  return collect.take();
}

} // namespace bench
