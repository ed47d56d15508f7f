// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop on a rank and one that it has spawned, both rank 0 of an MPI_COMM_WORLD of their own.
#include "checks.h"

#include <wstree/mpi.hpp>

using namespace wstree::test;

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm parent = MPI_COMM_NULL, both = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  const bool is_spawned = parent != MPI_COMM_NULL;
  MPI_Comm other = parent;
  if (!is_spawned)
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
  MPI_Intercomm_merge(other, is_spawned ? 1 : 0, &both);
  const auto sum =
      wstree::mpi::sum(wstree::mpi::on(both).label("spawned"), 100, [](std::uint64_t i) { return i; });
  expect(sum == 4950, "a sum of " + std::to_string(sum));
  MPI_Comm_free(&both);
  MPI_Comm_disconnect(&other);
  MPI_Finalize();
  return 0;
}
