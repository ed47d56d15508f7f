// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "aside_task.h"

#include "host_guard.h"
#include "system_call.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include <cerrno>

namespace wstree::abi {
namespace {

/// A look at a small idle machine takes 5 to 10 ms. Where the thread that holds the loader's lock waits for
/// the opener, this is lost, once in a process.
constexpr timespec k_longest_wait{.tv_sec = 0, .tv_nsec = 500'000'000};

} // namespace

void* AsideTask::start(void* data) noexcept {
  auto& task = *static_cast<AsideTask*>(data);
  task.work_();
  task.is_done_.store(1, std::memory_order_relaxed);
  config::system_call(SYS_futex, &task.is_done_, FUTEX_WAKE_PRIVATE, 1);
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

bool AsideTask::run() noexcept {
  const observe::HostGuard guard; // to wait for a thread is a cancellation point
  pthread_t thread;
  if (!make_thread(thread)) return false;
  // Signals may end a wait early; ten of them are enough.
  for (int i = 0; i < 10 && is_done_.load(std::memory_order_relaxed) == 0; ++i)
    if (config::system_call(SYS_futex, &is_done_, FUTEX_WAIT_PRIVATE, 0, &k_longest_wait) == -ETIMEDOUT)
      break;
  if (is_done_.load(std::memory_order_relaxed) != 0)
    pthread_join(thread, nullptr);
  else
    pthread_detach(thread);
  return true;
}

} // namespace wstree::abi
