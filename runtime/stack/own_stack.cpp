// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "own_stack.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

extern "C" {
/// switch_<architecture>.S: calls work(data) with the stack that ends at `top`.
void wstree_call_on_stack(void* top, void (*work)(void*), void* data) noexcept;
}

namespace wstree::stack {
namespace {

/// On both sides of the stack lies memory whose use ends the process: so much that memcheck, which allows for
/// frames of 2 MB, sees that the thread goes to another stack.
constexpr std::size_t k_guard = std::size_t{2} * 1024 * 1024;
constexpr std::size_t k_all = k_guard + k_own_stack + k_guard;

/// nullptr: no memory.
std::byte* map_stack() noexcept {
  void* memory =
      mmap(nullptr, k_all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* all = static_cast<std::byte*>(memory);
  if (mprotect(all + k_guard, k_own_stack, PROT_READ | PROT_WRITE) == 0) return all;
  munmap(all, k_all);
  return nullptr;
}

/// Signals that an instruction of the thread itself raises. Blocked, they would end the process, although
/// their handlers may mend it: a page that a checkpoint protects, a call that a filter traps.
constexpr int k_own_doing[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

/// Returns the other signals that have handlers. Signals without one, by which users and timers end a process
/// that waits, say, until its messages are read, need no stack of the thread.
sigset_t signals_with_handlers() noexcept {
  sigset_t set;
  sigemptyset(&set);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction now;
    if (std::find(std::begin(k_own_doing), std::end(k_own_doing), signal) == std::end(k_own_doing) &&
        sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)
      sigaddset(&set, signal);
  }
  return set;
}

} // namespace

void call_on_own_stack(void (*work)(void*), void* data) noexcept {
  const int saved_errno = errno;
  int cancel_state = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  const sigset_t block = signals_with_handlers();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &block, &before);
  if (std::byte* memory = map_stack()) {
    wstree_call_on_stack(memory + k_guard + k_own_stack, work, data);
    munmap(memory, k_all);
  } else {
    work(data);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setcancelstate(cancel_state, nullptr);
  errno = saved_errno;
}

} // namespace wstree::stack
