// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "own_stack.h"

#include <cerrno>
#include <initializer_list>
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

/// The signals by which collectors of garbage stop threads (Boehm's, Mono's, D's), and not those by which
/// users and timers end a process that waits, say, until its messages are read.
sigset_t signals_of_collectors() noexcept {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGUSR1, SIGUSR2, SIGPWR, SIGXCPU}) sigaddset(&set, signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) sigaddset(&set, signal);
  return set;
}

} // namespace

void call_on_own_stack(void (*work)(void*), void* data) noexcept {
  const int saved_errno = errno;
  int cancel_state = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  if (std::byte* memory = map_stack()) {
    const sigset_t block = signals_of_collectors();
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, &block, &before);
    wstree_call_on_stack(memory + k_guard + k_own_stack, work, data);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    munmap(memory, k_all);
  } else {
    work(data);
  }
  pthread_setcancelstate(cancel_state, nullptr);
  errno = saved_errno;
}

} // namespace wstree::stack
