// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heirs: a region with a loop, whose threads start threads and processes one after the other, in every usual
// way. Prints one line for each: "WHO WAY CPUS", WHO is worker or opener (in the region) or after (the opener
// behind it), CPUs are what the started one may run on. The starters say "WHO itself CPUS" before and "WHO
// still CPUS" afterwards. heirs --tell LABEL: prints "LABEL CPUS".
#include "headers.h"

#include <spawn.h>

extern "C" {
int omp_get_thread_num();
int omp_get_num_procs();
}

namespace {

std::string g_self;

std::string own_cpus() {
  cpu_set_t set;
  std::string text;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return "unknown";
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) text += (text.empty() ? "" : ",") + std::to_string(cpu);
  return text;
}

void tell(const std::string& label) {
  const std::string line = label + " " + own_cpus() + "\n";
  if (write(1, line.data(), line.size()) < 0) _exit(9);
}

void wait_for(pid_t child, const std::string& label) {
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    std::printf("%s failed: status %d\n", label.c_str(), status);
}

/// The words of a command that tells.
struct Command {
  std::string words[3];
  char* list[4] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
};

void start_threads(const std::string& who) {
  std::string label = who + " pthread_create";
  const auto body = [](void* data) -> void* {
    tell(*static_cast<std::string*>(data));
    return nullptr;
  };
  pthread_t thread;
  if (pthread_create(&thread, nullptr, body, &label) == 0) pthread_join(thread, nullptr);
  std::thread([&] { tell(who + " std::thread"); }).join();
}

void start_processes(const std::string& who) {
  if (const pid_t child = fork(); child != 0) {
    wait_for(child, who + " fork");
  } else {
    tell(who + " fork");
    _exit(0);
  }
  Command after_fork{{g_self, "--tell", who + " fork+exec"}};
  if (const pid_t child = fork(); child != 0) {
    wait_for(child, after_fork.words[2]);
  } else {
    execv("/no/such/program", after_fork.list);
    execv(g_self.c_str(), after_fork.list);
    _exit(9);
  }
  for (auto* const spawn : {posix_spawn, posix_spawnp}) {
    pid_t child = -1;
    Command spawned{{g_self, "--tell", who + (spawn == posix_spawn ? " posix_spawn" : " posix_spawnp")}};
    if (spawn(&child, g_self.c_str(), nullptr, nullptr, spawned.list, environ) != 0) child = -1;
    wait_for(child, spawned.words[2]);
  }
  const auto command = [&](const char* way) { return "'" + g_self + "' --tell '" + who + " " + way + "'"; };
  if (std::system(command("system").c_str()) != 0) std::puts("system failed");
  FILE* pipe = popen(command("popen").c_str(), "r");
  char line[4096];
  while (pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr) std::fputs(line, stdout);
  if (pipe == nullptr || pclose(pipe) != 0) std::puts("popen failed");
}

void start_all(const std::string& who) {
  tell(who + " itself");
  std::printf("%s procs %d\n", who.c_str(), omp_get_num_procs());
  start_threads(who);
  start_processes(who);
  tell(who + " still");
}

/// Each member of a team that serves a loop calls body(member), in turn.
void in_turn(const std::function<void(int)>& body) {
  int sum = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 100; ++i) sum += i;
    for (int member = 0; member < 2; ++member) {
      if (member == omp_get_thread_num()) body(member);
#pragma omp barrier
    }
  }
  if (sum != 4950) std::puts("sum failed");
}

} // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  g_self.assign(path, size > 0 ? static_cast<std::size_t>(size) : 0);
  if (argc == 3 && std::strcmp(argv[1], "--tell") == 0) {
    tell(argv[2]);
    return 0;
  }
  tell("process itself");
  in_turn([](int member) { start_all(member == 0 ? "opener" : "worker"); });
  start_all("after");
  std::puts("end");
}
