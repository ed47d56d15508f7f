// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "own_stack.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

namespace {

using namespace wstree;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool k_sanitized = true; // shadow memory needs address space
#else
constexpr bool k_sanitized = false;
#endif

std::uintptr_t here() noexcept { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }

/// Writes to `bytes` of the stack below the caller.
[[gnu::noinline]] void use_stack(std::size_t bytes) noexcept {
  auto* memory = static_cast<volatile char*>(__builtin_alloca(bytes));
  for (std::size_t i = bytes; i > 0; --i) memory[i - 1] = 1;
}

struct SmallThread {
  std::uintptr_t low = 0, high = 0; // of its stack
  std::uintptr_t in_work = 0;
  int calls = 0;
};

void* run_small_thread(void* data) {
  auto& found = *static_cast<SmallThread*>(data);
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t size = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  found.low = reinterpret_cast<std::uintptr_t>(low);
  found.high = found.low + size;
  for (int i = 0; i < 3; ++i)
    stack::on_own_stack([&found] {
      found.in_work = here();
      use_stack(stack::k_own_stack - 16 * 1024);
      ++found.calls;
    });
  return nullptr;
}

TEST(OwnStack, IsLargeInAThreadThatHasLittle) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::size_t{128} * 1024), 0);
  pthread_t thread{};
  SmallThread found;
  ASSERT_EQ(pthread_create(&thread, &attributes, run_small_thread, &found), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(found.calls, 3);
  EXPECT_FALSE(found.low <= found.in_work && found.in_work < found.high);
}

TEST(OwnStack, WorkOnItMayTakeAnother) {
  std::uintptr_t outer = 0;
  std::uintptr_t inner = 0;
  stack::on_own_stack([&] {
    outer = here();
    stack::on_own_stack([&inner] { inner = here(); });
  });
  const std::uintptr_t apart = outer > inner ? outer - inner : inner - outer;
  EXPECT_GE(apart, stack::k_own_stack);
}

TEST(OwnStack, KeepsErrnoTheSignalMaskAndTheCancelState) {
  struct sigaction handled {
  }, ignored{}, before_handled[8], before_ignored;
  const int handled_signals[] = {SIGUSR1, SIGPWR, SIGINT, SIGALRM, SIGRTMIN};
  constexpr int k_own_doing[] = {SIGSEGV, SIGBUS, SIGSYS};
  handled.sa_handler = [](int) {};
  ignored.sa_handler = SIG_IGN;
  std::size_t kept = 0;
  for (const int signal : handled_signals) sigaction(signal, &handled, &before_handled[kept++]);
  for (const int signal : k_own_doing) sigaction(signal, &handled, &before_handled[kept++]);
  sigaction(SIGUSR2, &ignored, &before_ignored);
  sigset_t all_before;
  pthread_sigmask(SIG_SETMASK, nullptr, &all_before);
  sigset_t inside;
  int cancel_state = PTHREAD_CANCEL_ENABLE;
  errno = EDOM;
  stack::on_own_stack([&] {
    pthread_sigmask(SIG_SETMASK, nullptr, &inside);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    errno = ERANGE;
  });
  EXPECT_EQ(errno, EDOM);
  EXPECT_EQ(cancel_state, PTHREAD_CANCEL_DISABLE);
  for (const int signal : handled_signals) EXPECT_EQ(sigismember(&inside, signal), 1) << signal;
  for (const int signal : {SIGTERM, SIGUSR2, SIGSEGV, SIGBUS, SIGSYS})
    EXPECT_EQ(sigismember(&inside, signal), 0) << signal;
  kept = 0;
  for (const int signal : handled_signals) sigaction(signal, &before_handled[kept++], nullptr);
  for (const int signal : k_own_doing) sigaction(signal, &before_handled[kept++], nullptr);
  sigaction(SIGUSR2, &before_ignored, nullptr);
  sigset_t all_after;
  pthread_sigmask(SIG_SETMASK, nullptr, &all_after);
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    EXPECT_EQ(sigismember(&all_after, signal), sigismember(&all_before, signal)) << signal;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel_state);
  EXPECT_EQ(cancel_state, PTHREAD_CANCEL_ENABLE);
}

struct Walk {
  const void* wanted;
  bool found = false;
};

_Unwind_Reason_Code look(_Unwind_Context* context, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  const auto at = static_cast<std::uintptr_t>(_Unwind_GetIP(context)) - 1;
  walk.found |= _Unwind_FindEnclosingFunction(reinterpret_cast<void*>(at)) == walk.wanted; // NOLINT
  return _URC_NO_REASON;
}

[[gnu::noinline]] bool is_seen_from_work(const void* self) noexcept {
  Walk walk{self};
  stack::on_own_stack([&walk] { _Unwind_Backtrace(look, &walk); });
  return walk.found;
}

TEST(OwnStack, UnwindersFindTheCaller) {
  EXPECT_TRUE(is_seen_from_work(reinterpret_cast<const void*>(&is_seen_from_work)));
}

TEST(OwnStack, WithoutMemoryForItTheCallersServes) {
  if (k_sanitized) GTEST_SKIP() << "a sanitizer needs more memory than this leaves";
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_AS, &none);
    if (mmap(nullptr, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) _exit(77);
    const std::uintptr_t outside = here();
    std::uintptr_t inside = 0;
    stack::on_own_stack([&inside] { inside = here(); });
    _exit(inside < outside && outside - inside < 4096 ? 42 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "an emulator that knows no limits";
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST(OwnStackDeathTest, WhatLiesBelowEndsTheProcess) {
  EXPECT_DEATH(stack::on_own_stack([] { use_stack(stack::k_own_stack + 16 * 1024); }), "");
}

} // namespace
