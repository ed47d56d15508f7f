// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fork() as programs do it whose runtime allows little in the child: libgomp waits for ever for threads that
// are not there if the child of a thread that has had a team opens a region. With --teams, children of such
// threads do so, too.
#include "hits.h"
#include "omp_decls.h"

#include <pthread.h>
#include <sys/wait.h>
#include <thread>

extern char** environ;

namespace {

const char* self = "";

void run_loops(int members) {
  check::HitsList hits = check::hits_list(5, 200);
#pragma omp parallel num_threads(members)
  for (check::Hits& each : hits) {
#pragma omp for schedule(runtime) nowait
    for (std::size_t i = 0; i < each.size(); ++i) each.touch(i);
  }
  check::must_be_one_each(hits, "loops around a fork");
}

/// A loop that stands outside of any region.
void run_orphaned_loop() {
  check::Hits hits(100);
#pragma omp for schedule(runtime)
  for (std::size_t i = 0; i < 100; ++i) hits.touch(i);
  hits.must_be_one_each("loop outside of a region");
}

template <class Body> void in_a_child(Body body) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    body();
    _exit(100);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child, "%d", child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3, "status %#x", static_cast<unsigned>(status));
}

void child_that_exits() {
  for (int round = 0; round < 5; ++round) {
    run_loops(2 + round % 3);
    in_a_child([] { std::exit(3); });
    in_a_child([] { _exit(3); });
  }
  run_loops(4);
}

void child_with_a_loop_but_no_region() {
  for (int round = 0; round < 5; ++round) {
    run_loops(2 + round % 3);
    in_a_child([] {
      run_orphaned_loop();
      std::exit(3);
    });
  }
  run_loops(4);
}

void child_of_a_thread_without_a_team() {
  run_loops(4);
  std::thread([] {
    in_a_child([] {
      run_loops(3);
      std::exit(3);
    });
    run_loops(2);
  }).join();
  run_loops(3);
}

void child_of_a_member_in_a_loop() {
  for (int round = 0; round < 5; ++round) {
    check::Hits hits(200);
#pragma omp parallel for schedule(runtime) num_threads(3)
    for (std::size_t i = 0; i < 200; ++i) {
      hits.touch(i);
      if (i % 90 == 45) in_a_child([] { _exit(3); });
    }
    hits.must_be_one_each("loop with forks in it");
  }
}

void become_another_program() {
  const char* arguments[] = {self, "--child", nullptr};
  execve("/proc/self/exe", const_cast<char**>(arguments), environ);
}

void child_that_becomes_another_program() {
  for (int round = 0; round < 3; ++round) {
    run_loops(3);
    in_a_child(become_another_program);
  }
  run_loops(2);
}

void child_of_a_member_that_becomes_another_program() {
  check::Hits hits(60);
#pragma omp parallel for schedule(runtime) num_threads(3)
  for (std::size_t i = 0; i < 60; ++i) {
    hits.touch(i);
    if (i % 20 == 10) in_a_child(become_another_program);
  }
  hits.must_be_one_each("loop whose bodies start programs");
}

/// First, because the process must not have had a team yet.
void child_before_any_region() {
  in_a_child([] {
    run_loops(3);
    std::exit(3);
  });
}

// --- children of threads that have had a team, which run loops in teams of their own

void child_runs_loops(int members) {
  in_a_child([=] {
    run_loops(members);
    std::exit(3); // with the figures, if they are on
  });
}

void between_regions() {
  for (int round = 0; round < 5; ++round) {
    run_loops(2 + round % 3);
    child_runs_loops(1 + round % 4);
  }
  run_loops(4);
}

void on_another_thread() {
  std::thread([] {
    run_loops(3);
    child_runs_loops(2);
    run_loops(2);
  }).join();
  run_loops(4);
}

} // namespace

int main(int argc, char** argv) {
  omp_set_dynamic(0);
  self = argv[0];
  if (check::flag(argc, argv, "--child")) {
    alarm(30);
    run_loops(2);
    return 3;
  }
  if (check::flag(argc, argv, "--teams"))
    return check::run(argc, argv,
                      {{"before_any_region", child_before_any_region},
                       {"between_regions", between_regions},
                       {"on_another_thread", on_another_thread}});
  return check::run(
      argc, argv,
      {{"child_before_any_region", child_before_any_region},
       {"child_that_exits", child_that_exits},
       {"child_with_a_loop_but_no_region", child_with_a_loop_but_no_region},
       {"child_of_a_thread_without_a_team", child_of_a_thread_without_a_team},
       {"child_of_a_member_in_a_loop", child_of_a_member_in_a_loop},
       {"child_that_becomes_another_program", child_that_becomes_another_program},
       {"child_of_a_member_that_becomes_another_program", child_of_a_member_that_becomes_another_program}});
}
