// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wstree::cli {

namespace {

/// All signals are blocked while it lives, and SIGCHLD has its default meaning: a parent that ignores SIGCHLD
/// hands that down, and then no child can be waited for.
class HeldSignals {
public:
  HeldSignals() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask_);
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &standard, &on_child_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { restore(); }

  void restore() const {
    sigaction(SIGCHLD, &on_child_, nullptr);
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }

private:
  sigset_t mask_{};
  struct sigaction on_child_ {};
};

/// In the child: becomes the program, or sends the error to the parent through the pipe.
[[noreturn]] void start(std::vector<std::string>& command, Environment& environment,
                        const HeldSignals& signals, pid_t parent, int report, bool output_to_errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_FAILURE); // it died before the line above
  signals.restore();
  if (output_to_errors) dup2(STDERR_FILENO, STDOUT_FILENO);
  const int error = become(command, environment);
  // The exit status reports the failure if the pipe cannot.
  if (write(report, &error, sizeof error) != sizeof error) _exit(EXIT_FAILURE);
  _exit(EXIT_SUCCESS);
}

/// Times between two looks at the child: short at first, because it loads most files soon.
class Pauses {
public:
  timespec next() {
    const timespec pause{0, nanoseconds_};
    nanoseconds_ = std::min(2 * nanoseconds_, k_longest);
    return pause;
  }

private:
  static constexpr long k_longest = 50'000'000;
  long nanoseconds_ = 500'000;
};

int wait_and_forward(pid_t child, const std::function<void(pid_t)>& look) {
  sigset_t all;
  sigfillset(&all);
  Pauses pauses;
  for (;;) {
    siginfo_t info{};
    int signal = 0;
    if (look) {
      const timespec pause = pauses.next();
      signal = sigtimedwait(&all, &info, &pause);
      if (signal < 0) look(child);
    } else {
      signal = sigwaitinfo(&all, &info);
    }
    if (signal < 0) continue;
    if (signal != SIGCHLD) {
      // SI_KERNEL: the terminal has sent it to the whole group.
      if (info.si_code != SI_KERNEL) kill(child, signal);
      continue;
    }
    int status = 0;
    if (waitpid(child, &status, WNOHANG | WUNTRACED) != child) continue;
    if (!WIFSTOPPED(status)) return status;
    // Stop too, so that the shell notices. The signal that continues us is forwarded like any other.
    kill(getpid(), SIGSTOP);
  }
}

} // namespace

int become(std::vector<std::string>& command, Environment& environment) {
  std::vector<char*> arguments;
  for (auto& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  execvpe(arguments[0], arguments.data(), environment.pointers().data());
  return errno;
}

Ending supervise(std::vector<std::string>& command, Environment& environment,
                 const Supervision& supervision) {
  std::array<int, 2> report{};
  if (pipe2(report.data(), O_CLOEXEC) != 0) return {errno, 0, 0};
  const HeldSignals signals;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) start(command, environment, signals, parent, report[1], supervision.output_to_errors);
  close(report[1]);
  Ending ending;
  if (child < 0) {
    ending.error = errno;
  } else {
    // Ends without data as soon as the program has replaced the child.
    if (read(report[0], &ending.error, sizeof ending.error) != sizeof ending.error) ending.error = 0;
    ending.process = child;
    ending.wait_status = wait_and_forward(child, supervision.look);
  }
  close(report[0]);
  return ending;
}

int end_like(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return WEXITSTATUS(wait_status);
  const int signal = WTERMSIG(wait_status);
  const rlimit no_core{0, 0}; // the core file that is of use is the program's
  setrlimit(RLIMIT_CORE, &no_core);
  std::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
  return 128 + signal; // a signal that this process cannot die of
}

} // namespace wstree::cli
