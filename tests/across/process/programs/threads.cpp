// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads and teams as programs have them that were not written with a runtime in mind: threads that come and
// go around their regions in every way there is, and many of them at once.
//   --main-leaves     the first thread ends by pthread_exit() while another one is still busy; no cases
#include "hits.h"
#include "omp_decls.h"

#include <atomic>
#include <pthread.h>
#include <thread>

namespace {

void run_loops(int members, const char* what) {
  check::HitsList hits = check::hits_list(3, 200);
#pragma omp parallel num_threads(members)
  for (check::Hits& each : hits) {
#pragma omp for schedule(runtime) nowait
    for (std::size_t i = 0; i < each.size(); ++i) each.touch(i);
  }
  check::must_be_one_each(hits, what);
}

std::atomic<bool> has_run{false};

enum End { by_return, by_exit, by_cancellation, without_a_region };
struct Thread {
  int round;
  End end;
};

void* run_and_end(void* data) {
  const Thread self = *static_cast<Thread*>(data);
  if (self.end == without_a_region) return nullptr;
  run_loops(1 + self.round % 4, "loops of a thread that ends");
  if (self.end == by_exit) pthread_exit(nullptr);
  has_run = true;
  while (self.end == by_cancellation) pause();
  return nullptr;
}

void thread_after_thread() {
  for (int round = 0; round < 15; ++round) {
    for (const End end : {by_return, by_exit, by_cancellation, without_a_region}) {
      has_run = false;
      Thread started{round, end};
      pthread_t thread{};
      CHECK(pthread_create(&thread, nullptr, run_and_end, &started) == 0, "round %d", round);
      if (end == by_cancellation) {
        while (!has_run) sched_yield();
        CHECK(pthread_cancel(thread) == 0, "round %d", round);
      }
      CHECK(pthread_join(thread, nullptr) == 0, "round %d", round);
    }
    run_loops(1 + round % 5, "loops of the first thread in between");
  }
}

void roots_at_once() {
  std::vector<std::thread> roots;
  for (int root = 0; root < 6; ++root)
    roots.emplace_back([root] {
      for (int round = 0; round < 10; ++round) run_loops(1 + (root + round) % 4, "loops of several roots");
    });
  for (std::thread& each : roots) each.join();
}

// --- a thousand roots

constexpr int k_roots = 1000;
constexpr std::size_t k_small_stack = std::size_t{96} << 10;
pthread_barrier_t all_are_there;

void* one_of_a_thousand(void* number) {
  const int root = *static_cast<int*>(number);
  pthread_barrier_wait(&all_are_there);
  check::Hits hits(50);
#pragma omp parallel for schedule(runtime) num_threads(root % 8 == 0 ? 2 : 1)
  for (std::size_t i = 0; i < 50; ++i) hits.touch(i);
  hits.must_be_one_each("loop of one root of a thousand");
  pthread_barrier_wait(&all_are_there); // no thread leaves before all have opened a region
  return nullptr;
}

void a_thousand_roots() {
  pthread_attr_t small{};
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, k_small_stack);
  pthread_barrier_init(&all_are_there, nullptr, k_roots);
  std::vector<pthread_t> threads(k_roots);
  std::vector<int> numbers(k_roots);
  for (int i = 0; i < k_roots; ++i) {
    const auto at = static_cast<std::size_t>(i);
    numbers[at] = i;
    const int error = pthread_create(&threads[at], &small, one_of_a_thousand, &numbers[at]);
    CHECK(error == 0, "thread %d: %s", i, std::strerror(error));
  }
  for (const pthread_t each : threads) pthread_join(each, nullptr);
  pthread_barrier_destroy(&all_are_there);
  pthread_attr_destroy(&small);
}

// --- the first thread leaves

pthread_t first_thread;

void* outlives_the_first(void*) {
  CHECK(pthread_join(first_thread, nullptr) == 0, "%s", "the first thread cannot be waited for");
  for (int round = 0; round < 10; ++round) run_loops(1 + round % 4, "loops without the first thread");
  std::puts("the first thread is gone");
  return nullptr;
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  if (check::flag(argc, argv, "--main-leaves")) {
    alarm(50);
    run_loops(3, "loops of the first thread");
    first_thread = pthread_self();
    pthread_t other{};
    CHECK(pthread_create(&other, nullptr, outlives_the_first, nullptr) == 0, "%s", "no thread");
    pthread_detach(other);
    pthread_exit(nullptr);
  }
  return check::run(argc, argv,
                    {{"thread_after_thread", thread_after_thread},
                     {"roots_at_once", roots_at_once},
                     {"a_thousand_roots", a_thousand_roots}});
}
