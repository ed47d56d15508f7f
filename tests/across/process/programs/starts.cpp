// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program without OpenMP that starts threads and processes by the functions that the library wraps, well
// and badly, also where little is allowed: before main and in a signal handler. Prints what came of each.
#include "headers.h"

#include <spawn.h>
#include <sys/stat.h>

namespace {

void say(const char* what, int result) {
  char line[128];
  const int size = std::snprintf(line, sizeof line, "%s: %d\n", what, result);
  if (write(1, line, static_cast<std::size_t>(size)) < 0) _exit(9);
}

int status_of(pid_t child) {
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

char* g_shell[] = {const_cast<char*>("sh"), const_cast<char*>("-c"), const_cast<char*>("exit ${CODE:-5}"),
                   nullptr};
char* g_code_7[] = {const_cast<char*>("CODE=7"), const_cast<char*>("PATH=/bin:/usr/bin"), nullptr};

void try_spawns(const char* path) {
  for (auto* const spawn : {posix_spawn, posix_spawnp}) {
    errno = EDOM;
    pid_t child = -1;
    const int result = spawn(&child, path, nullptr, nullptr, g_shell, g_code_7);
    say("spawn", result);
    say("errno", errno);
    if (result == 0) say("ended", status_of(child));
  }
}

void try_threads() {
  pthread_t thread;
  const auto body = [](void* data) -> void* { return data; };
  void* value = nullptr;
  int mark = 0;
  errno = EDOM;
  say("pthread_create", pthread_create(&thread, nullptr, body, &mark));
  say("joined", pthread_join(thread, &value));
  say("value", value == &mark ? 1 : 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  sched_param priority{};
  priority.sched_priority = 1000;
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
  pthread_attr_setschedparam(&attributes, &priority);
  pthread_attr_setstacksize(&attributes, std::size_t{1} << 46);
  say("pthread_create, impossible", pthread_create(&thread, &attributes, body, &mark));
  pthread_attr_destroy(&attributes);
  std::thread([&] { mark = 3; }).join();
  say("std::thread", mark);
  say("errno", errno);
}

void try_shell() {
  say("system", std::system("exit 3"));
  say("system", std::system("kill -9 $$"));
  say("system, none", std::system(nullptr));
  FILE* pipe = popen("echo words; exit 4", "r");
  char line[64] = "";
  if (pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr) say(line, 0);
  say("pclose", pipe != nullptr ? pclose(pipe) : -1);
  errno = 0;
  say("popen, wrongly", popen("true", "x") == nullptr ? errno : 0);
}

/// system() is a place where a thread can be cancelled, which unwinds its stack.
void try_cancelling() {
  static std::atomic<bool> cancelled{false}; // only a signal; the join orders everything else
  static int unwound = 0;
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void* data) -> void* {
        struct Witness {
          ~Witness() { ++unwound; }
        } const witness;
        int state = 0;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
        while (!cancelled) sched_yield();
        pthread_setcancelstate(state, nullptr);
        return std::system("kill -STOP $$") == 0 ? data : nullptr;
      },
      nullptr);
  pthread_cancel(thread);
  cancelled = true;
  void* value = nullptr;
  pthread_join(thread, &value);
  say("cancelled", value == PTHREAD_CANCELED ? unwound : -1);
}

extern "C" void on_signal(int) {
  const int saved_errno = errno;
  const pid_t child = fork();
  if (child == 0) {
    execv("/bin/sh", g_shell);
    _exit(9);
  }
  say("fork and exec in a handler", status_of(child));
  pid_t spawned = -1;
  say("spawn in a handler", posix_spawn(&spawned, "/bin/sh", nullptr, nullptr, g_shell, environ));
  say("ended", status_of(spawned));
  errno = saved_errno;
}

void try_in_handler() {
  static char stack[64 * 1024];
  stack_t other{};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, nullptr);
  std::raise(SIGUSR1);
}

[[gnu::constructor(101)]] void before_main() {
  say("system before main", std::system("exit 6"));
  pthread_t thread;
  say("pthread_create before main", pthread_create(
                                        &thread, nullptr, [](void*) -> void* { return nullptr; }, nullptr));
  pthread_join(thread, nullptr);
}

[[gnu::destructor(101)]] void after_main() { say("system after main", std::system("exit 2")); }

} // namespace

int main() {
  char folder[] = "/tmp/wstree_starts.XXXXXX";
  if (mkdtemp(folder) == nullptr) return 9;
  const std::string script = std::string(folder) + "/script"; // without #!
  if (FILE* file = std::fopen(script.c_str(), "w")) {
    std::fputs("exit 11\n", file);
    std::fclose(file);
    chmod(script.c_str(), 0755);
  }
  for (const char* path : {"/bin/sh", "sh", "/no/such/program", "no-such-program", "/", "", script.c_str()}) {
    try_spawns(path);
  }
  unlink(script.c_str());
  rmdir(folder);
  try_threads();
  try_shell();
  try_cancelling();
  try_in_handler();
  const pid_t child = fork();
  if (child == 0) {
    try_threads();
    try_shell();
    _exit(0);
  }
  say("child", status_of(child));
}
