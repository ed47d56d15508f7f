// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: no member waits for one that stands still, or has not even arrived: that one keeps only what it was
// handed already, and the others run the rest. A schedule that does not steal hangs here.
#include "hits.h"
#include "omp_decls.h"

#include <algorithm>
#include <atomic>
#include <pthread.h>
#include <sched.h>
#include <sys/time.h>

namespace {

using check::Hits;
using check::HitsList;

constexpr std::size_t k_n = 20'000;

/// Largest number of iterations that the held-up member may have been handed in one chunk.
std::size_t most_per_chunk = 0;

void a_member_that_comes_late_to_loops_that_are_known() {
  // Loops that have been short for long may be shared in another way.
  constexpr std::size_t k_short = 200;
  for (int round = 0; round < check::repeat(400, 4000); ++round) {
    Hits hits(k_short);
    std::atomic<std::size_t> done{0};
    const int often = round < 200 ? 10 : 40; // and in between all come at once, for a few dozen loops at last
    const int late = round < 100 || round % often != 0 ? -1 : round / often % 3;
#pragma omp parallel num_threads(3)
    {
      if (omp_get_thread_num() == late)
        while (done.load(std::memory_order_acquire) < k_short) sched_yield();
#pragma omp for schedule(runtime) nowait
      for (std::size_t i = 0; i < k_short; ++i) {
        hits.touch(i);
        done.fetch_add(1, std::memory_order_release);
      }
    }
    hits.must_be_one_each("short loop that a member came to late");
  }
}

/// Members that `stands` names wait in their first iteration until the others have done all but their chunks.
/// Nothing else can end that.
template <class Stands> void wait_in_first_iterations(int members, std::size_t waiting, Stands&& stands) {
  Hits hits(k_n);
  std::atomic<std::size_t> done{0};
#pragma omp parallel num_threads(members)
  {
    bool waits = stands(omp_get_thread_num());
#pragma omp for schedule(runtime)
    for (std::size_t i = 0; i < k_n; ++i) {
      hits.touch(i);
      while (waits && done.load(std::memory_order_acquire) + waiting * most_per_chunk < k_n) sched_yield();
      waits = false;
      done.fetch_add(1, std::memory_order_release);
    }
  }
  hits.must_be_one_each("loop with members that stand still");
}

void an_owner_that_stands_still() {
  for (int round = 0; round < check::repeat(10, 200); ++round) {
    const int members = 2 + round % 4;
    wait_in_first_iterations(members, 1, [&](int me) { return me == round % members; });
  }
}

void every_member_but_one_stands_still() {
  for (int round = 0; round < check::repeat(10, 200); ++round)
    wait_in_first_iterations(4, 3, [](int me) { return me != 0; });
}

std::atomic<std::size_t> stalled_done{0};
std::atomic<std::size_t> kept{0}; // by members that stand still, at most
std::atomic<int> stalls{0};       // that are over

/// Stands still until the others have done the rest, or for a while where a schedule may leave it more.
void stall(int) {
  for (int turns = 0; turns < 100 || stalled_done.load(std::memory_order_acquire) + kept < k_n; ++turns)
    sched_yield();
  ++stalls;
}
void tick(int) {}

/// Without SA_RESTART: system calls of the runtimes and of the library come back early.
void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}
void set_timer(long microseconds) {
  const itimerval value{{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_PROF, &value, nullptr);
}

void members_stalled_anywhere() {
  // Signals stop members wherever they are, in the body or inside a call that hands out work: no state that
  // others need may hang in the balance while they do not run. Up to all members but one are stopped.
  handle(SIGUSR1, stall);
  handle(SIGPROF, tick);
  check::Random random(check::settings.seed);
  int sent = 0;
  for (int round = 0; round < check::repeat(100, 3000); ++round) {
    constexpr std::size_t k_loops = 4;
    const std::size_t members = 2 + random.below(random.below(8) == 0 ? 63 : 5);
    const std::size_t most = random.below(4) == 0 ? members - 1 : std::min<std::size_t>(members - 1, 2);
    const std::size_t held = 1 + random.below(most), first_held = random.below(members);
    const std::size_t when = random.below(k_n / 2), apart = 1 + random.below(k_n / 4 / held);
    HitsList hits = check::hits_list(k_loops, k_n / k_loops);
    std::vector<pthread_t> threads(members);
    std::atomic<std::size_t> inside{0};
    stalled_done = 0;
    kept = held * most_per_chunk;
    set_timer(random.below(3) == 0 ? 200 + static_cast<long>(random.below(3000)) : 0);
#pragma omp parallel num_threads(static_cast <int>(members))
    {
      threads[static_cast<std::size_t>(omp_get_thread_num())] = pthread_self();
      ++inside; // no barrier of libomp, in which members let each other out: one held there would hold others
      while (inside < members) sched_yield();
      for (Hits& each : hits) {
#pragma omp for schedule(runtime) nowait
        for (std::size_t i = 0; i < k_n / k_loops; ++i) {
          each.touch(i);
          // Any member that comes to these numbers: on a busy machine one may get no iterations at all.
          const std::size_t done = stalled_done.fetch_add(1, std::memory_order_acq_rel);
          if (done >= when && (done - when) % apart == 0 && (done - when) / apart < held)
            pthread_kill(threads[(first_held + (done - when) / apart) % members], SIGUSR1);
        }
      }
    }
    set_timer(0);
    check::must_be_one_each(hits, "loop with members that signals stopped");
    sent += static_cast<int>(held);
    // A member that had nothing left to do may not have run since its signal. In the next round it would stop
    // before that round can begin, and wait for ever.
    while (stalls < sent) sched_yield();
  }
}

} // namespace

int main(int argc, char** argv) {
  // Depends on the batch mode that the test sets; see CMakeLists.txt.
  most_per_chunk = static_cast<std::size_t>(check::number(argc, argv, "--most-per-chunk", 1000));
  omp_set_dynamic(0);
  return check::run(argc, argv,
                    {CASE(an_owner_that_stands_still), CASE(a_member_that_comes_late_to_loops_that_are_known),
                     CASE(every_member_but_one_stands_still), CASE(members_stalled_anywhere)});
}
