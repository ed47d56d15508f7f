// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OpenMP program of most process tests. Runs ten loops of 1000 iterations and says what it saw:
//   schedule KIND CHUNK       omp_get_schedule() before the first loop
//   sum N                     4995000 if every iteration ran once
//   members N                 size of the team
// --status N            exit status             --set KIND CHUNK      omp_set_schedule() behind line 1
// --run COMMAND         system(COMMAND) at the end; --run-first before any OpenMP call
// --silent              prints nothing            --file NAME           opens a file first and keeps it open
// --environment         prints OMP_SCHEDULE as getenv() gives it at the end
// --folder NAME         goes there first          --folder-later NAME   goes there after the loops
#include "headers.h"
#include "omp_decls.h"

namespace {

long run_loops(int& members) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp single
    members = omp_get_num_threads();
    for (int loop = 0; loop < 10; ++loop) {
#pragma omp for schedule(runtime)
      for (int i = 0; i < 1000; ++i) sum += i;
    }
  }
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  int status = 0;
  bool silent = false, environment = false;
  const char* command = nullptr;
  const char* later = nullptr;
  omp_sched_t kind{};
  int chunk = 0;
  bool set = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--silent") silent = true;
    if (option == "--environment") environment = true;
    if (option == "--status") status = std::atoi(argv[++i]);
    if (option == "--run") command = argv[++i];
    if (option == "--run-first" && std::system(argv[++i]) == -1) return 9;
    if (option == "--file" && open(argv[++i], O_CREAT | O_WRONLY, 0600) < 0) return 9;
    if (option == "--folder" && chdir(argv[++i]) != 0) return 9;
    if (option == "--folder-later") later = argv[++i];
    if (option == "--set") {
      set = true;
      kind = static_cast<omp_sched_t>(std::strtoul(argv[++i], nullptr, 0));
      chunk = std::atoi(argv[++i]);
    }
  }
  omp_sched_t before{};
  int chunk_before = 0;
  omp_get_schedule(&before, &chunk_before);
  if (set) omp_set_schedule(kind, chunk);
  int members = 0;
  const long sum = run_loops(members);
  if (later != nullptr && chdir(later) != 0) return 9;
  if (!silent)
    std::printf("schedule %#x %d\nsum %ld\nmembers %d\n", static_cast<unsigned>(before), chunk_before, sum,
                members);
  if (environment) {
    const char* value = std::getenv("OMP_SCHEDULE");
    std::printf("environment %s\n", value != nullptr ? value : "(unset)");
  }
  std::fflush(stdout);
  if (command != nullptr && std::system(command) == -1) return 9;
  if (sum != 4'995'000) return 8;
  return status;
}
