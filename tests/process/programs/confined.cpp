// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions of a thread that has little: confined stack (32 KB of stack), confined least_stack (16 KB), or
// confined calls (a thread that opens a file or a folder, asks for CPUs, or reads a clock of CPU time, is
// killed; status 77 if calls are filtered already), or confined late_calls (the same behind some regions).
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <pthread.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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

bool confine_calls() {
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
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (std::strstr(argv[1], "stack") == nullptr) {
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0) return 77;
    timespec gap{0, 200'000};
    if (std::strcmp(argv[1], "late_calls") == 0) open_regions(&gap);
    if (!confine_calls()) return 77;
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
