// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions of a thread that has little: confined stack (32 KB of stack), confined least_stack (16 KB), or
// confined calls (a thread that opens a file or a folder, asks for CPUs, or reads a clock of CPU time, is
// killed; status 77 if calls are filtered already), or confined late_calls (the same behind some regions).
// With "inner_" in front (of inner_syscall_calls and inner_bare_calls, too) the filter is the second one:
// with another, which refuses a call that is not made, the program executes itself again. "syscall" puts the
// second one up by syscall(), and "bare" past the C library.
#include "headers.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <time.h>

namespace {

int wrong = 0;

void* open_regions(void* gap) {
  for (int region = 0; region < 100; ++region) {
    if (gap != nullptr) nanosleep(static_cast<timespec*>(gap), nullptr);
    int sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(2)
    for (int i = 0; i < 1000; ++i) sum += i;
    wrong += sum != 499'500;
  }
  return nullptr;
}

bool put_up(const sock_fprog& program, const std::string& way) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  if (way.starts_with("inner_syscall"))
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
#ifdef __x86_64__
  if (way.starts_with("inner_bare")) {
    long result = SYS_prctl;
    register long no_fourth asm("r10") = 0;
    asm volatile("syscall"
                 : "+a"(result)
                 : "D"(PR_SET_SECCOMP), "S"(SECCOMP_MODE_FILTER), "d"(&program), "r"(no_fourth)
                 : "rcx", "r11", "memory");
    return result == 0;
  }
#endif
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool refuse_one_call() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offsetof(seccomp_data, nr))),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_reboot, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, static_cast<unsigned>(SECCOMP_RET_ERRNO) | 1U),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof rules / sizeof *rules, rules};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool confine_calls(const std::string& way) {
  constexpr auto k_kill = static_cast<unsigned>(SECCOMP_RET_KILL_PROCESS);
  constexpr auto k_call = static_cast<unsigned>(offsetof(seccomp_data, nr));
  constexpr auto k_first_argument = static_cast<unsigned>(offsetof(seccomp_data, args)); // low half
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, k_call),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 6, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getdents64, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, k_first_argument),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_PROCESS_CPUTIME_ID, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_THREAD_CPUTIME_ID, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, k_kill),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof rules / sizeof *rules, rules};
  return put_up(program, way);
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (std::strstr(argv[1], "stack") == nullptr) {
    const std::string way = argv[1];
    const bool is_filtered = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0;
    if (way.starts_with("inner") && !is_filtered) {
      if (refuse_one_call()) execv("/proc/self/exe", argv);
      return 77; // without privileges
    }
    if (!way.starts_with("inner") && is_filtered) return 77;
    timespec gap{0, 200'000};
    if (way.ends_with("late_calls")) open_regions(&gap);
    if (!confine_calls(way)) return 77;
    open_regions(nullptr);
  } else {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes,
                              (std::strcmp(argv[1], "stack") == 0 ? 32 : 16) * std::size_t{1024});
    pthread_t thread{};
    if (pthread_create(&thread, &attributes, open_regions, nullptr) != 0) return 2;
    pthread_join(thread, nullptr);
  }
  std::printf("wrong %d\n", wrong);
  return wrong;
}
