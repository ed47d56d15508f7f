// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On real threads, within the mask that the test was started with, which may be a single CPU.
#include "thread_pin.h"
#include "process_limits.h"

#include "usual.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>

namespace wstree::place {
namespace {

constexpr PinKey k_first = 17;
constexpr PinKey k_second = 18;

CpuSet only(std::uint32_t cpu) {
  CpuSet set;
  set.add(cpu);
  return set;
}

/// What a thread of the test starts with, and two CPUs of it, which are the same if there is one only.
struct Given {
  CpuSet all = current_mask();
  CpuSet a = only(all.next(0));
  CpuSet b = all.count() > 1 ? only(all.next(all.next(0) + 1)) : a;
};

/// Calls body on a thread of its own: a pin belongs to a thread, and so does the filter below.
void on_a_thread(const std::function<void(const Given&)>& body) {
  const std::jthread thread([&] { body(Given{}); });
}

/// From here on what the calling thread asks the kernel about CPUs ends as `action` says.
bool filter_system_calls(unsigned action) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getcpu, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, action),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{sizeof program / sizeof program[0], program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

bool refuse_masks() { return filter_system_calls(SECCOMP_RET_ERRNO | EPERM); }

std::atomic<int> g_calls{0}; // relaxed: counted and read by one thread

bool count_system_calls() {
  g_calls.store(0, std::memory_order_relaxed);
  struct sigaction action {};
  action.sa_handler = [](int) { g_calls.fetch_add(1, std::memory_order_relaxed); };
  if (sigaction(SIGSYS, &action, nullptr) != 0 || !filter_system_calls(SECCOMP_RET_TRAP)) return false;
  current_mask();
  return g_calls.exchange(0, std::memory_order_relaxed) == 1;
}

int system_calls() { return g_calls.load(std::memory_order_relaxed); }

TEST(ThreadPin, PinsAndGivesBack) {
  on_a_thread([](const Given& given) {
    EXPECT_EQ(pinned_to(), 0U);
    EXPECT_TRUE(pin_thread(k_first, given.a, given.all));
    EXPECT_EQ(pinned_to(), k_first);
    EXPECT_EQ(current_mask(), given.a);
    unpin_thread();
    EXPECT_EQ(pinned_to(), 0U);
    EXPECT_EQ(current_mask(), given.all);
    EXPECT_TRUE(pin_thread(k_first, given.b, given.all)) << "and it can be pinned again";
    EXPECT_EQ(current_mask(), given.b);
  });
  EXPECT_EQ(pinned_to(), 0U) << "of another thread";
}

TEST(ThreadPin, MakesNoSystemCallsForThePlaceThatItIsIn) {
  on_a_thread([](const Given& given) {
    ASSERT_TRUE(pin_thread(k_first, given.a, given.all));
    if (!count_system_calls()) GTEST_SKIP() << "no seccomp";
    EXPECT_TRUE(pin_thread(k_first, given.a, given.all));
    EXPECT_EQ(pinned_to(), k_first);
    EXPECT_EQ(system_calls(), 0);
  });
}

TEST(ThreadPin, IsNotTriedAgainWhereTheKernelRefuses) {
  on_a_thread([](const Given& given) {
    if (!refuse_masks()) GTEST_SKIP() << "no seccomp";
    errno = EDOM;
    EXPECT_FALSE(pin_thread(k_first, given.a, given.all));
    EXPECT_EQ(pinned_to(), 0U);
    EXPECT_FALSE(move_thread(CpuSet{}));
    EXPECT_EQ(errno, EDOM);
    if (!count_system_calls()) GTEST_SKIP() << "filters cannot be stacked";
    EXPECT_FALSE(pin_thread(k_second, given.a, given.all));
    EXPECT_EQ(system_calls(), 0);
  });
}

TEST(ThreadPin, StaysWithinTheOriginalMask) {
  on_a_thread([](const Given& given) {
    std::uint32_t outside = 0;
    while (given.all.has(outside)) ++outside;
    CpuSet wider = given.all;
    wider.add(outside);
    EXPECT_FALSE(pin_thread(k_first, only(outside), given.all));
    EXPECT_FALSE(pin_thread(k_first, wider, given.all));
    EXPECT_FALSE(pin_thread(k_first, CpuSet{}, given.all));
    EXPECT_FALSE(pin_thread(0, given.a, given.all));
    EXPECT_EQ(current_mask(), given.all);

    EXPECT_TRUE(pin_thread(k_first, given.a, given.all));
    EXPECT_FALSE(pin_thread(k_second, wider, wider)) << "what it had before counts, not what is claimed";
    EXPECT_EQ(pinned_to(), 0U);
    EXPECT_EQ(current_mask(), given.all) << "not pinned is not pinned";
  });
}

TEST(ThreadPin, LeavesAThreadAloneThatTheProgramHasMoved) {
  for (const bool gives_up : {false, true}) {
    on_a_thread([gives_up](const Given& given) {
      if (given.a == given.b) GTEST_SKIP() << "one CPU";
      ASSERT_TRUE(pin_thread(k_first, given.a, given.all));
      set_current_mask(given.b);
      { const Unpinned unpinned; }
      EXPECT_EQ(current_mask(), given.b);
      if (gives_up)
        unpin_thread();
      else
        EXPECT_FALSE(pin_thread(k_second, given.a, given.all));
      EXPECT_EQ(current_mask(), given.b);
      EXPECT_EQ(pinned_to(), 0U);
      set_current_mask(given.all);
      EXPECT_FALSE(pin_thread(k_first, given.b, given.all)) << "for good";
    });
  }
}

// --- starting something

TEST(Unpinned, HasTheOriginalMask) {
  on_a_thread([](const Given& given) {
    ASSERT_TRUE(pin_thread(k_first, given.a, given.all));
    {
      const Unpinned outer;
      EXPECT_EQ(current_mask(), given.all);
      EXPECT_EQ(pinned_to(), k_first) << "no trace in memory";
      {
        const Unpinned inner;
        EXPECT_EQ(current_mask(), given.all);
      }
      EXPECT_EQ(current_mask(), given.all) << "until the end of the outer one";
    }
    EXPECT_EQ(current_mask(), given.a);
  });
}

TEST(Unpinned, LeavesAMaskAloneThatWasChangedMeanwhile) {
  on_a_thread([](const Given& given) {
    ASSERT_TRUE(pin_thread(k_first, given.a, given.all));
    {
      const Unpinned unpinned;
      set_current_mask(given.b);
    }
    EXPECT_EQ(current_mask(), given.b);
  });
}

/// Exit status of a child that was forked here and runs body.
int status_of_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Fork, HandsDownTheOriginalMask) {
  on_a_thread([](const Given& given) {
    ASSERT_TRUE(pin_thread(k_first, given.a, given.all));
    EXPECT_EQ(status_of_child([&] { return current_mask() == given.all && pinned_to() == 0 ? 0 : 1; }), 0);
    EXPECT_EQ(current_mask(), given.a);
    EXPECT_EQ(pinned_to(), k_first);
    const Unpinned unpinned;
    EXPECT_EQ(status_of_child([&] { return current_mask() == given.all && pinned_to() == 0 ? 0 : 1; }), 0)
        << "also while it is unpinned";
    EXPECT_EQ(current_mask(), given.all);
  });
}

TEST(Fork, TheChildKnowsThatItIsOne) {
  EXPECT_FALSE(in_forked_child()) << "not remembered";
  remember_process();
  EXPECT_FALSE(in_forked_child());
  EXPECT_EQ(status_of_child([] { return in_forked_child() ? 0 : 1; }), 0);
}

// --- moving

TEST(MoveThread, DoesNotMoveAgainAtOnce) {
  on_a_thread([](const Given& given) {
    if (given.a == given.b) GTEST_SKIP() << "one CPU";
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    int moves = 0;
    for (int i = 0; i < 5000; ++i) {
      const CpuSet& there = i % 2 == 0 ? given.a : given.b;
      const bool elsewhere = !there.has(static_cast<std::uint32_t>(sched_getcpu()));
      if (move_thread(there) && elsewhere) ++moves;
    }
    const auto time = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    EXPECT_GE(moves, 1);
    EXPECT_LE(moves, time + 2);
  });
}

TEST(MoveThread, StaysWithinTheThreadsMask) {
  on_a_thread([](const Given& given) {
    if (given.a == given.b) GTEST_SKIP() << "one CPU";
    set_current_mask(given.a);
    EXPECT_FALSE(move_thread(given.b));
    EXPECT_EQ(current_mask(), given.a);
    EXPECT_FALSE(move_thread(CpuSet{}));
  });
}

} // namespace
} // namespace wstree::place
