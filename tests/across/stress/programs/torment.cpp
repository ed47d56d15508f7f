// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs an OpenMP program and holds threads of it in signal handlers in the middle of its loops, and stops and
// continues it as a whole. While members are held the others have to do everything but the batches that those
// were handed; nothing but that ends the wait.
//
//   torment [--seed S] [--rounds N] [--batch B] [--time-limit SECONDS] -- PROGRAM
//
// --batch B: no member is handed more iterations at once. Without it members are held for a while, and it is
// only the result that counts: of ranges and queues, a member that stands still may keep more.
#include "control.h"

#include "../random.h"
#include "seed.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>

namespace {

using namespace stress;

struct Options {
  std::uint64_t seed = 0, rounds = 40, batch = 0, time_limit_s = 300;
  char** program = nullptr;
};

Options options;

class Torment {
public:
  Torment() {
    const int descriptor = memfd_create("control", 0); // inherited
    if (descriptor < 0 || ftruncate(descriptor, sizeof(Control)) != 0) std::exit(2);
    void* memory = mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) std::exit(2);
    control_ = new (memory) Control;
    start(descriptor);
  }

  int run() {
    Random random(round_seed(options.seed, 2, 0));
    for (round_ = 1; round_ <= options.rounds; ++round_) {
      change(control_->go);
      await("a plan", [this] { return control_->planned.load() == round_; });
      const bool holds = !random.one_in(8);
      if (holds) prepare_hold(random);
      change(control_->go);
      if (holds) hold(random);
      if (random.one_in(3)) stop_and_continue(random.between(1, 4));
      await("the loops to end", [this] { return control_->ended.load() == round_; });
      iterations_ += control_->size.load();
    }
    change(control_->go);
    if (child_ != 0 && waitpid(child_, &status_, 0) != child_) status_ = -1;
    child_ = 0;
    if (status_ != 0) give_up("a good end");
    std::printf("%llu rounds, %llu iterations, %llu threads held, %llu stops: all is well, seed %llu\n",
                static_cast<unsigned long long>(options.rounds), static_cast<unsigned long long>(iterations_),
                static_cast<unsigned long long>(holds_), static_cast<unsigned long long>(stops_),
                static_cast<unsigned long long>(options.seed));
    return 0;
  }

private:
  void start(int descriptor) {
    std::vector<std::string> words = {"--control", std::to_string(descriptor),
                                      "--seed",    std::to_string(options.seed),
                                      "--rounds",  std::to_string(options.rounds)};
    std::vector<char*> arguments;
    for (char** word = options.program; *word != nullptr; ++word) arguments.push_back(*word);
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    child_ = fork();
    if (child_ < 0) std::exit(2);
    if (child_ == 0) {
      execv(arguments[0], arguments.data());
      _exit(127);
    }
  }

  /// From some iteration on: in half of the rounds no member goes beyond it until some are held, so that much
  /// is left to do for the others; in the other half they are held wherever they are.
  void prepare_hold(Random& random) {
    control_->pause.store(random.coin() ? 1 : 0);
    control_->wanted.store(static_cast<std::uint32_t>(random.between(1, control_->size.load() / 2)));
  }

  /// Some members stand still until the others have done the rest.
  void hold(Random& random) {
    const std::uint32_t members = control_->members.load();
    const std::uint32_t size = control_->size.load();
    const auto most = random.one_in(4) ? members - 1 : std::min(members - 1, 2U);
    const auto count = static_cast<std::uint32_t>(random.between(1, most));
    await_done(control_->wanted.load(), "some iterations");
    // In libomp's barriers members let each other out. One that is held there holds others, which then never
    // get to the loops.
    await("all members to have left the barrier",
          [this, members] { return control_->inside.load() == members; });
    const auto first = static_cast<std::uint32_t>(random.below(members));
    for (std::uint32_t i = 0; i < count; ++i)
      if (syscall(SYS_tgkill, child_, control_->threads[(first + i) % members].load(), SIGUSR1) != 0)
        give_up("a thread to be there");
    await("the handlers", [this, count] { return control_->held.load() == count; });
    holds_ += count;
    control_->pause.store(0);
    wake(control_->pause);
    if (random.one_in(4)) stop_and_continue(1);
    const std::uint64_t kept = options.batch * count;
    if (options.batch != 0 && kept < size)
      await_done(static_cast<std::uint32_t>(size - kept), "what the held members do not have");
    change(control_->gate);
    await("the end of the handlers", [this] { return control_->held.load() == 0; });
  }

  void await_done(std::uint32_t count, const char* what) {
    control_->wanted.store(count);
    await(what, [this, count] { return control_->done.load() >= count || control_->ended.load() == round_; });
    control_->wanted.store(k_not_wanted);
  }

  /// `news`: what must become true; the bell rings whenever it may have.
  template <class News> void await(const char* what, News&& news) {
    const std::uint64_t limit = static_cast<std::uint64_t>(time(nullptr)) + options.time_limit_s;
    for (;;) {
      const std::uint32_t bell = control_->bell.load();
      if (news()) return;
      const timespec second{1, 0}; // the program may have died, which rings no bell
      wait_for_change(control_->bell, bell, &second);
      if (child_ != 0 && waitpid(child_, &status_, WNOHANG) == child_) child_ = 0;
      if (child_ == 0 && !news()) give_up(what);
      if (static_cast<std::uint64_t>(time(nullptr)) > limit) give_up(what);
    }
  }

  void stop_and_continue(std::uint64_t times) {
    for (; times > 0; --times) {
      int status = 0;
      kill(child_, SIGSTOP);
      if (waitpid(child_, &status, WUNTRACED) != child_ || !WIFSTOPPED(status)) give_up("a stop");
      kill(child_, SIGCONT);
      if (waitpid(child_, &status, WCONTINUED) != child_ || !WIFCONTINUED(status)) give_up("the way on");
      ++stops_;
    }
  }

  [[noreturn]] void give_up(const char* what) {
    std::fprintf(stderr, "waited in vain for %s: round %llu, %u members, %u of %u iterations done, %u held\n",
                 what, static_cast<unsigned long long>(round_), control_->members.load(),
                 control_->done.load(), control_->size.load(), control_->held.load());
    std::fprintf(stderr, "  replay: torment --seed %llu --rounds %llu --batch %llu -- %s\n",
                 static_cast<unsigned long long>(options.seed),
                 static_cast<unsigned long long>(options.rounds),
                 static_cast<unsigned long long>(options.batch), options.program[0]);
    if (child_ > 0) kill(child_, SIGKILL);
    std::exit(1);
  }

  Control* control_ = nullptr;
  pid_t child_ = 0; // 0: it has ended
  int status_ = 0;
  std::uint32_t round_ = 0;
  std::uint64_t iterations_ = 0, holds_ = 0, stops_ = 0;
};

void parse(int argc, char** argv) {
  bool seeded = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0ULL; };
    if (word == "--seed") {
      options.seed = number();
      seeded = true;
    } else if (word == "--rounds") {
      options.rounds = number();
    } else if (word == "--batch") {
      options.batch = number();
    } else if (word == "--time-limit") {
      options.time_limit_s = number();
    } else if (word == "--" && i + 1 < argc) {
      options.program = argv + i + 1;
      break;
    } else {
      std::fprintf(stderr, "%s: what is %s?\n", argv[0], argv[i]);
      std::exit(2);
    }
  }
  if (options.program == nullptr) {
    std::fprintf(stderr, "%s: no program\n", argv[0]);
    std::exit(2);
  }
  if (!seeded) options.seed = wstree::test::seed();
}

} // namespace

int main(int argc, char** argv) {
  parse(argc, argv);
  return Torment().run();
}
