// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose page faults are known: counted plain; counted closing (between two executions the program
// closes all descriptors and opens a pipe under each of their numbers); counted ending (a thread that has had
// a loop ends: prints how many descriptors that left); counted few (prints how many files can be opened
// behind a loop where a few more than half of those that may be open are); counted filtered (perf_event_open
// fails for plain).
#include "headers.h"

#include <filesystem>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace {

namespace fs = std::filesystem;

constexpr int k_iterations = 100, k_pages = 32;
int wrong = 0;

/// Touches each of k_pages new pages once.
void fault() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const memory = static_cast<volatile char*>(
      mmap(nullptr, k_pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  madvise(const_cast<char*>(memory), k_pages * page, MADV_NOHUGEPAGE);
  for (std::size_t p = 0; p < k_pages; ++p) memory[p * page] = 1;
  munmap(const_cast<char*>(memory), k_pages * page);
}

void run_loop() {
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < k_iterations; ++i) fault();
}

auto descriptors() {
  return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
}

/// Everything in the pipes has to be there afterwards, and the pipes have to be open.
void run_on_other_files() {
  run_loop();
  constexpr int k_last = 200;
  int ends[2];
  for (int file = 3; file <= k_last + 2; ++file) close(file);
  wrong += pipe(ends) != 0;
  const int reader = fcntl(ends[0], F_DUPFD, k_last + 1), writer = fcntl(ends[1], F_DUPFD, k_last + 1);
  wrong += write(writer, "some bytes", 10) != 10;
  for (int file = 3; file <= k_last; ++file) wrong += dup2(reader, file) != file;
  run_loop();
  std::thread(run_loop).join();
  for (int file = 3; file <= k_last; ++file) wrong += fcntl(file, F_GETFD) == -1;
  char bytes[20];
  wrong += read(reader, bytes, sizeof bytes) != 10;
}

void run_and_end() {
  std::thread(run_loop).join(); // with what the runtime opens for itself
  const auto before = descriptors();
  for (int i = 0; i < 5; ++i) std::thread(run_loop).join();
  std::printf("left %td\n", descriptors() - before);
}

void run_with_few_left() {
  const rlimit few{32, 32};
  wrong += setrlimit(RLIMIT_NOFILE, &few) != 0;
  while (open("/dev/null", O_RDONLY) < 16) continue;
  run_loop();
  int left = 0;
  while (open("/dev/null", O_RDONLY) >= 0) ++left;
  std::printf("left %d\n", left);
}

bool filter_calls() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offsetof(seccomp_data, nr))),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, static_cast<unsigned>(SECCOMP_RET_ERRNO) | 13U), // EACCES
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof rules / sizeof *rules, rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

} // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "plain";
  if (what == "filtered") {
    char plain[] = "plain";
    char* arguments[] = {argv[0], plain, nullptr};
    if (filter_calls()) execv("/proc/self/exe", arguments);
    return 77;
  }
  if (what == "closing") run_on_other_files();
  if (what == "ending") run_and_end();
  if (what == "few") run_with_few_left();
  if (what == "plain")
    for (int i = 0; i < 3; ++i) run_loop();
  std::printf("wrong %d\n", wrong);
  return wrong;
}
