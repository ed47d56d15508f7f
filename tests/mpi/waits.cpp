// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guards: wait_for() in mpi/errors.h. A rank keeps its processor while the others may be nearly there, and
// gives it away afterwards. MPI's clock and MPI_Test() are replaced, so that the time that it waits is known.
#include "wstree/mpi/errors.h"

#include "checks.h"

namespace {
int tests_left = 0, yields = 0;
double seconds = 0;
} // namespace

extern "C" {
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  seconds += 10e-6;
  if (tests_left == 0) return PMPI_Test(request, flag, status);
  --tests_left;
  *flag = 0;
  return MPI_SUCCESS;
}
double MPI_Wtime() { return seconds; }
int sched_yield() noexcept {
  ++yields;
  return 0;
}
}

int main(int argc, char** argv) {
  using namespace wstree;
  MPI_Init(&argc, &argv);
  for (const int tests : {3, 100}) {
    tests_left = tests;
    yields = 0;
    int mine = 1, all = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &request);
    mpi::detail::wait_for(request);
    test::expect(all == 1, "the operation is not complete");
    if (tests == 3) test::expect(yields == 0, "the processor was given away after 30 microseconds");
    if (tests == 100) test::expect(yields > 80, "the processor was kept for a millisecond");
  }
  MPI_Finalize();
}
