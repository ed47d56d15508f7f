// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fork() in a process that has teams: before the first region, between regions, and by a thread other than
// the first. Each child runs loops of its own, then the parent goes on.
#include "hits.h"
#include "omp_decls.h"

#include <sys/wait.h>
#include <thread>

namespace {

void run_loops(int members) {
  check::HitsList hits = check::hits_list(10, 300);
#pragma omp parallel num_threads(members)
  for (check::Hits& each : hits) {
#pragma omp for schedule(runtime) nowait
    for (std::size_t i = 0; i < each.size(); ++i) each.touch(i);
  }
  check::must_be_one_each(hits, "loops around a fork");
}

void child_runs_loops(int members) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    run_loops(members);
    std::exit(0); // with the figures, if they are on
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child, "%d", child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", static_cast<unsigned>(status));
}

void before_any_region() { child_runs_loops(3); }

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
  return check::run(argc, argv,
                    {{"before_any_region", before_any_region},
                     {"between_regions", between_regions},
                     {"on_another_thread", on_another_thread}});
}
