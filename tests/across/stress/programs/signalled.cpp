// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An OpenMP program whose threads are held up by signals, each in the middle of whatever it does, and
// interrupted by timers. It runs below `torment`, which decides which members are held and when.
//
//   signalled --control FD --seed S --rounds N
#include "control.h"
#include "omp_decls.h"

#include "../random.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <sys/mman.h>
#include <sys/time.h>

namespace {

using namespace stress;

Control* control = nullptr;

void hold(int) {
  const int error = errno;
  const std::uint32_t gate = control->gate.load();
  control->held.fetch_add(1);
  change(control->bell);
  while (control->gate.load() == gate) wait_for_change(control->gate, gate);
  control->held.fetch_sub(1);
  change(control->bell);
  errno = error;
}

std::atomic<std::uint64_t> ticks{0};
void tick(int) { ticks.fetch_add(1, std::memory_order_relaxed); }

/// Without SA_RESTART: system calls of the runtimes and of the library come back early.
void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}

void set_timer(int which, std::uint64_t microseconds) {
  const auto time = static_cast<suseconds_t>(microseconds);
  const itimerval value{{0, time}, {0, time}};
  setitimer(which, &value, nullptr);
}

void await_go(std::uint32_t count) {
  for (std::uint32_t go = 0; (go = control->go.load()) < count;) wait_for_change(control->go, go);
}

/// Loops one after the other, without a barrier, so that members that are not held go on to the next.
class Round {
public:
  Round(std::uint32_t number, Random& random)
      : number_(number), members_(static_cast<int>(random.between(2, random.one_in(4) ? 64 : 6))),
        loops_(random.between(1, 6)), size_(random.between(100, 2'000)), cost_(random.coin() ? 400 : 10'000),
        hits_(new std::atomic<unsigned char>[loops_ * size_]()) {}

  void run() {
    control->members.store(static_cast<std::uint32_t>(members_));
    control->size.store(static_cast<std::uint32_t>(loops_ * size_));
    control->done.store(0);
    control->inside.store(0);
    control->planned.store(number_);
    change(control->bell);
    await_go(2 * number_);
#pragma omp parallel num_threads(members_)
    {
      control->threads[omp_get_thread_num()].store(static_cast<std::int32_t>(syscall(SYS_gettid)));
#pragma omp barrier
      if (control->inside.fetch_add(1) + 1 == control->members.load()) change(control->bell);
      for (std::size_t l = 0; l < loops_; ++l) {
#pragma omp for schedule(runtime) nowait
        for (std::size_t i = 0; i < size_; ++i) touch(l * size_ + i);
      }
    }
    check();
    control->ended.store(number_);
    change(control->bell);
  }

private:
  void touch(std::size_t i) {
    hits_[i].fetch_add(1, std::memory_order_relaxed);
    for (unsigned turns = i % 7 == 0 ? cost_ : 0; turns > 0; --turns) __asm__ volatile("");
    if (control->done.fetch_add(1) + 1 < control->wanted.load()) return;
    change(control->bell);
    while (control->pause.load() == 1) wait_for_change(control->pause, 1);
  }

  void check() const {
    for (std::size_t i = 0; i < loops_ * size_; ++i)
      if (hits_[i].load(std::memory_order_relaxed) != 1) {
        std::fprintf(stderr, "round %u: iteration %zu of loop %zu ran %u times\n", number_, i % size_,
                     i / size_, unsigned{hits_[i].load(std::memory_order_relaxed)});
        _exit(1);
      }
  }

  std::uint32_t number_;
  int members_;
  std::size_t loops_, size_;
  unsigned cost_;
  std::unique_ptr<std::atomic<unsigned char>[]> hits_;
};

std::uint64_t number(int argc, char** argv, const char* name) {
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], name) == 0) return std::strtoull(argv[i + 1], nullptr, 10);
  std::fprintf(stderr, "%s: %s is missing\n", argv[0], name);
  std::exit(2);
}

} // namespace

int main(int argc, char** argv) {
  const auto descriptor = static_cast<int>(number(argc, argv, "--control"));
  void* memory = mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return 2;
  control = static_cast<Control*>(memory);
  omp_set_dynamic(0);
  handle(SIGUSR1, hold);
  handle(SIGALRM, tick);
  handle(SIGPROF, tick);
  Random random(round_seed(number(argc, argv, "--seed"), 1, 0));
  const auto rounds = static_cast<std::uint32_t>(number(argc, argv, "--rounds"));
  for (std::uint32_t r = 1; r <= rounds; ++r) {
    await_go(2 * r - 1);
    set_timer(ITIMER_REAL, random.coin() ? random.between(200, 3'000) : 0);
    set_timer(ITIMER_PROF, random.one_in(3) ? random.between(1'000, 5'000) : 0);
    Round(r, random).run();
  }
  set_timer(ITIMER_REAL, 0);
  set_timer(ITIMER_PROF, 0);
  await_go(2 * rounds + 1); // a process that has ended cannot be stopped
  return 0;
}
