// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heirs: a region with a loop, whose threads start threads and processes one after the other, in every way
// there is. Prints one line for each: "WHO WAY CPUS", WHO is worker or opener (in the region) or after (the
// opener behind it), CPUs are what the started one may run on. The starters say "WHO itself CPUS" before and
// "WHO still CPUS" afterwards.
// heirs --become WAY: the worker replaces the process by way of exec, after one attempt that fails.
// heirs --tell LABEL: prints "LABEL CPUS".
// heirs --notified: the worker asks the C library for notifications in threads, by a timer and by
// asynchronous input, and prints "worker itself CPUS", "timer CPUS" and "aio CPUS".
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

#include <aio.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

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

// --- exec

struct Command {
  explicit Command(const std::string& label) : words{g_self, "--tell", label} {
    for (std::string& word : words) list[count++] = word.data();
  }
  std::string words[3];
  char* list[4] = {};
  int count = 0;
};

struct Exec {
  const char* name;
  int (*call)(const char* path, Command& command); // returns only if it fails
};

const Exec k_execs[] = {
    {"execve", [](const char* path, Command& c) { return execve(path, c.list, environ); }},
    {"execv", [](const char* path, Command& c) { return execv(path, c.list); }},
    {"execvp", [](const char* path, Command& c) { return execvp(path, c.list); }},
    {"execvpe", [](const char* path, Command& c) { return execvpe(path, c.list, environ); }},
    {"execl",
     [](const char* path, Command& c) { return execl(path, c.list[0], c.list[1], c.list[2], nullptr); }},
    {"execlp",
     [](const char* path, Command& c) { return execlp(path, c.list[0], c.list[1], c.list[2], nullptr); }},
    {"execle", [](const char* path,
                  Command& c) { return execle(path, c.list[0], c.list[1], c.list[2], nullptr, environ); }},
    {"fexecve",
     [](const char* path, Command& c) {
       const int file = open(path, O_RDONLY | O_CLOEXEC);
       return file < 0 ? -1 : fexecve(file, c.list, environ);
     }},
    {"execveat", [](const char* path, Command& c) { return execveat(AT_FDCWD, path, c.list, environ, 0); }},
};

/// Both ways to a child that calls exec, each with an attempt that fails before.
void start_by_exec(const std::string& who) {
  for (const Exec& exec : k_execs) {
    Command after_fork(who + " fork+" + exec.name);
    if (const pid_t child = fork(); child != 0) {
      wait_for(child, after_fork.words[2]);
    } else {
      exec.call("/no/such/program", after_fork);
      exec.call(g_self.c_str(), after_fork);
      _exit(9);
    }
    Command after_vfork(who + " vfork+" + exec.name);
    if (const pid_t child = vfork(); child != 0) {
      wait_for(child, after_vfork.words[2]);
    } else {
      errno = 0;
      exec.call("/no/such/program", after_vfork);
      if (errno == ENOENT) exec.call(g_self.c_str(), after_vfork);
      _exit(9);
    }
    // Only the starter is left after this.
    if (const pid_t child = vfork(); child != 0) {
      int status = 0;
      waitpid(child, &status, 0);
    } else {
      exec.call("/no/such/program", after_vfork);
      _exit(0);
    }
  }
}

// --- the rest

void start_threads(const std::string& who) {
  std::string label = who + " pthread_create";
  const auto body = [](void* data) -> void* {
    tell(*static_cast<std::string*>(data));
    return nullptr;
  };
  pthread_t thread;
  if (pthread_create(&thread, nullptr, body, &label) == 0) pthread_join(thread, nullptr);
  std::thread([&] { tell(who + " std::thread"); }).join();
  label = who + " thrd_create";
  const auto c_body = [](void* data) -> int {
    tell(*static_cast<std::string*>(data));
    return 0;
  };
  thrd_t c_thread;
  if (thrd_create(&c_thread, c_body, &label) == thrd_success) thrd_join(c_thread, nullptr);
}

void start_processes(const std::string& who) {
  if (const pid_t child = fork(); child != 0) {
    wait_for(child, who + " fork");
  } else {
    tell(who + " fork");
    _exit(0);
  }
  pid_t child = -1;
  Command spawned(who + " posix_spawn");
  if (posix_spawn(&child, g_self.c_str(), nullptr, nullptr, spawned.list, environ) != 0) child = -1;
  wait_for(child, spawned.words[2]);
  Command searched(who + " posix_spawnp");
  if (posix_spawnp(&child, g_self.c_str(), nullptr, nullptr, searched.list, environ) != 0) child = -1;
  wait_for(child, searched.words[2]);

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
  start_by_exec(who);
  tell(who + " still");
}

void become(const std::string& way) {
  Command command("become " + way);
  for (const Exec& exec : k_execs) {
    if (way != exec.name) continue;
    tell("worker itself");
    exec.call("/no/such/program", command);
    tell("worker still");
    exec.call(g_self.c_str(), command);
  }
  _exit(9);
}

// --- threads that the C library starts

std::atomic<bool> g_notified{false};

sigevent in_a_thread(const char* label) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_value.sival_ptr = const_cast<char*>(label);
  event.sigev_notify_function = [](sigval value) {
    tell(static_cast<const char*>(value.sival_ptr));
    g_notified = true;
  };
  return event;
}

void wait_for_notification() {
  while (!g_notified.exchange(false)) sched_yield();
}

void be_notified() {
  tell("worker itself");
  sigevent event = in_a_thread("timer");
  timer_t timer{};
  itimerspec at_once{};
  at_once.it_value.tv_nsec = 1;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &at_once, nullptr) != 0)
    _exit(9);
  wait_for_notification();
  char byte = 0;
  aiocb request{};
  request.aio_fildes = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  request.aio_buf = &byte;
  request.aio_nbytes = 1;
  request.aio_sigevent = in_a_thread("aio");
  if (aio_read(&request) != 0) _exit(9);
  wait_for_notification();
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
  if (argc == 3 && std::strcmp(argv[1], "--become") == 0)
    in_turn([&](int member) {
      if (member == 1) become(argv[2]);
    });
  if (argc == 2 && std::strcmp(argv[1], "--notified") == 0) {
    in_turn([&](int member) {
      if (member == 1) be_notified();
    });
    return 0;
  }
  tell("process itself");
  in_turn([](int member) { start_all(member == 0 ? "opener" : "worker"); });
  start_all("after");
  std::puts("end");
}
