// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aside_task.h"

#include "host_guard.h"
#include "system_call.h"

#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include <cerrno>

extern "C" [[gnu::weak]] void __msan_init() noexcept; // NOLINT: of the memory sanitizer, where there is one

namespace wstree::abi {
namespace {

/// A look at a small idle machine takes 5 to 10 ms. If the thread that holds the loader's lock waits for the
/// opener, this time is lost, once in a process.
constexpr timespec k_longest_wait{.tv_sec = 0, .tv_nsec = 500'000'000};

} // namespace

bool has_memory_sanitizer() noexcept { return __msan_init != nullptr; }

/// To open a library the loader locks a lock that pthread_create() needs, and then waits for threads that
/// walk through the list of objects. Such a thread may be waiting for this region. So the work begins only if
/// there is a moment without any, while the opener still waits for it.
bool AsideTask::may_open_libraries() noexcept {
  dl_iterate_phdr([](dl_phdr_info*, std::size_t, void*) { return 1; }, nullptr);
  int begun = k_begun;
  return state_.compare_exchange_strong(begun, k_working, std::memory_order_relaxed);
}

void* AsideTask::start(void* data) noexcept {
  auto& task = *static_cast<AsideTask*>(data);
  if (!task.may_open_libraries()) return nullptr;
  task.work_();
  task.state_.store(k_ended, std::memory_order_relaxed);
  config::system_call(SYS_futex, &task.state_, FUTEX_WAKE_PRIVATE, 1);
  return nullptr;
}

bool AsideTask::make_thread(pthread_t& thread) noexcept {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  sigset_t all, before;
  sigfillset(&all);
  bool runs =
      pthread_attr_setstacksize(&attributes, stack_) == 0 && pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
  if (runs) {
    runs = pthread_create(&thread, &attributes, start, this) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  pthread_attr_destroy(&attributes);
  return runs;
}

AsideTask::Outcome AsideTask::run() noexcept {
  const observe::HostGuard guard; // to wait for a thread is a cancellation point
  pthread_t thread;
  if (!make_thread(thread)) return Outcome::no_thread;
  // Signals may end a wait early; ten of them are enough.
  for (int i = 0; i < 10; ++i) {
    const int state = state_.load(std::memory_order_relaxed);
    if (state == k_ended) break;
    if (config::system_call(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, state, &k_longest_wait) == -ETIMEDOUT)
      break;
  }
  int state = k_begun;
  if (state_.compare_exchange_strong(state, k_given_up, std::memory_order_relaxed)) state = k_given_up;
  if (state == k_ended) {
    pthread_join(thread, nullptr);
    return Outcome::ended;
  }
  pthread_detach(thread);
  return state == k_given_up ? Outcome::given_up : Outcome::goes_on;
}

} // namespace wstree::abi
