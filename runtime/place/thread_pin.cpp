// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "thread_pin.h"

#include "process_limits.h"
#include "system_call.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <new>

namespace wstree::place {
namespace {

struct Pin {
  PinKey key = 0;
  bool left_alone = false; // the program or a tool decides about this thread
  bool off_for_fork = false;
  CpuSet mask; // ours; valid while key is not 0
  CpuSet original;
};

/// Made at the thread's first pin. Only a pointer: a library that is opened late gets little memory for
/// thread-local variables of this kind.
constinit thread_local Pin* t_pin __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local std::uint64_t t_last_move __attribute__((tls_model("initial-exec"))) = 0; // ns

constexpr std::uint64_t k_between_moves = 1'000'000; // ns

constinit pthread_once_t g_once = PTHREAD_ONCE_INIT;
constinit pthread_key_t g_key = 0;
constinit bool g_ready = false; // written in g_once
constinit pid_t g_process = 0;  // written at load time, like g_mask
constinit CpuSet g_mask;

/// Returns the calling thread's pin, if it has one.
Pin* active_pin() noexcept {
  Pin* pin = t_pin;
  return pin != nullptr && pin->key != 0 ? pin : nullptr;
}

bool exchange_mask(const CpuSet& expected, const CpuSet& wanted) noexcept {
  return current_mask() == expected && set_current_mask(wanted);
}

/// Takes the pin off, or puts it on again. Returns false if the thread keeps its mask, which differs from the
/// expected one.
bool lift(const Pin& pin) noexcept { return exchange_mask(pin.mask, pin.original); }
bool lower(const Pin& pin) noexcept { return exchange_mask(pin.original, pin.mask); }

// fork runs these in the thread that calls it.
void before_fork() noexcept {
  if (Pin* pin = active_pin()) pin->off_for_fork = lift(*pin);
}

void after_fork_in_parent() noexcept {
  Pin* pin = active_pin();
  if (pin == nullptr || !pin->off_for_fork) return;
  pin->off_for_fork = false;
  lower(*pin);
}

void after_fork_in_child() noexcept {
  Pin* pin = active_pin();
  if (pin == nullptr) return;
  pin->off_for_fork = false;
  pin->key = 0;
}

void free_pin(void* data) noexcept {
  t_pin = nullptr;
  delete static_cast<Pin*>(data);
}

/// Returns the calling thread's record, made if it has none. nullptr: no memory, or forks cannot be watched.
Pin* own_pin() noexcept {
  if (t_pin != nullptr) return t_pin;
  const int saved_errno = errno;
  pthread_once(&g_once, [] {
    g_ready = pthread_key_create(&g_key, [](void* data) { free_pin(data); }) == 0 &&
              pthread_atfork([] { before_fork(); }, [] { after_fork_in_parent(); },
                             [] { after_fork_in_child(); }) == 0;
  });
  auto* made = g_ready ? new (std::nothrow) Pin : nullptr;
  if (made != nullptr && pthread_setspecific(g_key, made) != 0) {
    delete made;
    made = nullptr;
  }
  errno = saved_errno;
  return t_pin = made;
}

/// Gives up the pin of `pin`, which is active, and the mask if it is still ours.
void give_up(Pin& pin) noexcept {
  if (!lift(pin) && current_mask() != pin.original) pin.left_alone = true;
  pin.key = 0;
}

std::uint64_t now_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace

PinKey pinned_to() noexcept { return t_pin != nullptr ? t_pin->key : 0; }

bool pin_thread(PinKey key, const CpuSet& mask, const CpuSet& original) noexcept {
  if (key != 0 && key == pinned_to()) return true;
  Pin* pin = own_pin();
  if (pin == nullptr || pin->left_alone) return false;
  const bool repin = pin->key != 0;
  // A thread that is pinned already goes on within its original mask.
  if (key == 0 || mask.empty() || !mask.is_within(original) || (repin && !mask.is_within(pin->original))) {
    if (repin) give_up(*pin);
    return false;
  }
  const CpuSet present = current_mask();
  const bool expected = present == (repin ? pin->mask : original) || (repin && present == pin->original);
  if (!expected || !set_current_mask(mask)) {
    // If the kernel refuses, it will the next time as well.
    if (repin) give_up(*pin);
    pin->left_alone = true;
    return false;
  }
  if (!repin) pin->original = original;
  pin->mask = mask;
  pin->key = key;
  return true;
}

void unpin_thread() noexcept {
  Pin* pin = active_pin();
  if (pin == nullptr) return;
  give_up(*pin);
}

bool move_thread(const CpuSet& mask) noexcept {
  const int cpu = sched_getcpu();
  if (cpu >= 0 && mask.has(static_cast<std::uint32_t>(cpu))) return true;
  const std::uint64_t now = now_ns();
  if (t_last_move != 0 && now - t_last_move < k_between_moves) return false;
  t_last_move = now;
  const CpuSet present = current_mask();
  CpuSet there = mask;
  there.keep(present);
  if (there.empty() || !set_current_mask(there)) return false;
  set_current_mask(present);
  return true;
}

Unpinned::Unpinned() noexcept : repin_(false) {
  const Pin* pin = active_pin();
  if (pin == nullptr) return;
  repin_ = lift(*pin);
}

Unpinned::~Unpinned() {
  if (!repin_) return;
  const Pin* pin = active_pin(); // no longer in the child of a fork
  if (pin == nullptr) return;
  lower(*pin);
}

void remember_process() noexcept {
  g_process = static_cast<pid_t>(config::system_call(SYS_getpid));
  g_mask = current_mask();
}

const CpuSet& process_mask() noexcept { return g_mask; }

// Returns whether fork has made this process. By number and not by a fork handler: the process may have
// forked before its first pin.
bool in_forked_child() noexcept { return g_process != 0 && getpid() != g_process; }

} // namespace wstree::place
